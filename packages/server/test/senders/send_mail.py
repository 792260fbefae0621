"""Sends a mail once. Prints "sent", or the class of the error with the code of the reply."""

import smtplib
import sys
from email.message import EmailMessage

port, to, size, patience_ms = sys.argv[1:]
mail = EmailMessage()
mail["From"] = "app@shop.test"
mail["To"] = to
mail["Subject"] = "Hello"
mail.set_content(("x" * 70 + "\n") * (int(size) // 71 + 1))


def describe(error):
    codes = [code for code, _ in getattr(error, "recipients", {}).values()]
    return " ".join(map(str, [type(error).__name__, *codes, *filter(None, [getattr(error, "smtp_code", None)])]))


try:
    with smtplib.SMTP("127.0.0.1", int(port), "shop.test", timeout=int(patience_ms) / 1000) as smtp:
        smtp.send_message(mail)
    print("sent", end="")
except OSError as error:
    print(describe(error), end="")
