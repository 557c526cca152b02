class Http:
    def get(self, url):
        return self.request("GET", url)

<<<<<<< ours
    def head(self, url):
        return self.request("HEAD", url, follow=False)

||||||| base
    def head(self, url):
        return self.request("HEAD", url)

=======
>>>>>>> theirs
    def post(self, url, body, *, json=None):
        return self.request("POST", url, body or dumps(json))
