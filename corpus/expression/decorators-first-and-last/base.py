class Command:
    @click.command("sync")
    @click.option("--verbose", is_flag=True)
    @click.pass_context
    def sync(self, ctx, verbose):
        self.run(ctx, verbose)
