class Http:
    def get(self, url):
        return self.request("GET", url)

    def post(self, url, body, *, json=None):
        return self.request("POST", url, body or dumps(json))
