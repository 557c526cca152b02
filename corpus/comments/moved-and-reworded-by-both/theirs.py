class SyntaxTests(TestCase):
    def test_plain(self):
        check_error(self, plain_text, line=3)

    def test_allowed(self):
        # This is allowed since 3.9.
        compile(allowed_text, "<test string>", "exec")
