class Http:
    def get(self, url):
        return self.request("GET", url)

    def head(self, url):
        return self.request("HEAD", url, follow=False)

    def post(self, url, body):
        return self.request("POST", url, body)
