class Command:
    @click.command("sync", no_args_is_help=True)
    @click.option("--verbose", is_flag=True)
    @click.pass_context
    def sync(self, ctx, verbose):
        self.run(ctx, verbose)
