class SyntaxTests(TestCase):
    def test_plain(self):
        check_error(self, plain_text, line=3)


class AllowedTests(TestCase):
    def test_allowed(self):
        # No error is raised here.
        compile(allowed_text, "<test string>", "exec")
