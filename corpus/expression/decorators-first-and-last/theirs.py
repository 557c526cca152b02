class Command:
    @click.command("sync")
    @click.option("--verbose", is_flag=True)
    @click.pass_obj
    def sync(self, ctx, verbose):
        self.run(ctx, verbose)
