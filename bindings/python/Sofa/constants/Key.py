"""Keys as onKeypressedEvent gets them in event['key']. Letters are capital, digits of the key pad are digits."""
import string as _string

home, end = chr(16), chr(17)
leftarrow, uparrow, rightarrow, downarrow = chr(18), chr(19), chr(20), chr(21)
pageup, pagedown = chr(22), chr(23)
escape, enter, tab = chr(27), chr(13), chr(9)
space, plus, minus, star, slash = " ", "+", "-", "*", "/"

for _letter in _string.ascii_uppercase:
    globals()[_letter] = _letter
for _digit in _string.digits:
    globals()["KP_" + _digit] = _digit
del _letter, _digit
