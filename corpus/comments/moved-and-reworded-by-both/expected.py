class SyntaxTests(TestCase):
    def test_plain(self):
        check_error(self, plain_text, line=3)


class AllowedTests(TestCase):
    def test_allowed(self):
<<<<<<< ours
        # No error is raised here.
||||||| base
        # This should work.
=======
        # This is allowed since 3.9.
>>>>>>> theirs
        compile(allowed_text, "<test string>", "exec")
