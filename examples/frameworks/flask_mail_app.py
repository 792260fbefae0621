# Flask-Mail.
import os
import sys

from flask import Flask
from flask_mail import Mail, Message

app = Flask(__name__)
app.config.update(
    MAIL_SERVER=os.environ.get("SMTP_HOST", "localhost"),
    MAIL_PORT=int(os.environ.get("SMTP_PORT", "2525")),
    MAIL_USE_TLS=False,
    MAIL_DEFAULT_SENDER="app@shop.example",
)
mail = Mail(app)

with app.app_context():
    to = sys.argv[1] if len(sys.argv) > 1 else "qa+signup@mailhatch.test"
    mail.send(Message("Your code is 482913", recipients=[to], body="Your code is 482913."))
