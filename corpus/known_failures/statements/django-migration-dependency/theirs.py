class Migration(migrations.Migration):
    dependencies = [("shop", "0002_price")]
    operations = [migrations.AddField("item", "weight", models.FloatField())]
