total = first + \
    second + \
    third
print(round(total))
