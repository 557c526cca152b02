class Views:
    def dashboard(self, request):
        return render(request, "dashboard.html")
