class SyntaxTests(TestCase):
    def test_plain(self):
        check_error(self, plain_text, line=3)

    def test_allowed(self):
        # This should work.
        compile(allowed_text, "<test string>", "exec")
