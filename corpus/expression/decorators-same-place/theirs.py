class Views:
    @cache_page(60)
    def dashboard(self, request):
        return render(request, "dashboard.html")
