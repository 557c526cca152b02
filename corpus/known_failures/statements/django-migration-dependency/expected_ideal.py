class Migration(migrations.Migration):
    dependencies = [("shop", "0002_price")]
<<<<<<< ours
    operations = [migrations.AddField("item", "colour", models.TextField())]
||||||| base
=======
    operations = [migrations.AddField("item", "weight", models.FloatField())]
>>>>>>> theirs
