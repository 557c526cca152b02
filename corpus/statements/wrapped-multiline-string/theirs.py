def install(db, schema):
    db.execute("""
create table runs (
    id integer,
    name text
)
""")
    # Old installations need this.
    db.execute(schema.upgrade, timeout=30)
    db.commit()
