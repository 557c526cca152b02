class Command:
    @click.command("sync", no_args_is_help=True)
    @click.option("--verbose", is_flag=True)
    @click.pass_obj
    def sync(self, ctx, verbose):
        self.run(ctx, verbose)
