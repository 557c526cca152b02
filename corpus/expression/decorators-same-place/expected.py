class Views:
<<<<<<< ours
    @login_required
||||||| base
=======
    @cache_page(60)
>>>>>>> theirs
    def dashboard(self, request):
        return render(request, "dashboard.html")
