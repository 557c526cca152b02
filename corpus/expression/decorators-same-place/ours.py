class Views:
    @login_required
    def dashboard(self, request):
        return render(request, "dashboard.html")
