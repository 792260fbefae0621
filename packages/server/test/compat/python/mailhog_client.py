"""Every method of PyPI's mailhog, against the server at MAILHOG_HOST and MAILHOG_PORT, which get mail from SMTP_PORT."""

import json
import os
import smtplib
from email.message import EmailMessage

from mailhog import Mailhog, Message
from watched import Watched, unused

# The client takes no credentials and no path, but writes both into its addresses.
client = Watched(Mailhog(os.environ["MAILHOG_HOST"], os.environ["MAILHOG_PORT"]))


def send(to: str, subject: str, text: str, file: bytes | None = None) -> None:
    mail = EmailMessage()
    mail["From"] = "app@shop.example"
    mail["To"] = to
    mail["Subject"] = subject
    mail.set_content(text)
    if file is not None:
        mail.add_attachment(file, maintype="text", subtype="csv", filename="data.csv")
    with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as smtp:
        smtp.send_message(mail)


client.delete_all()
send("anna@shop.example", "First", "Your code is 482913.")
send("ben@shop.example", "Second", "Plain text", b"one,two")

found = client.messages()
assert (found.total, found.start, found.count) == (2, 0, 2), found
second, first = map(Watched, found.items)
assert [second.get_subject(), first.get_subject()] == ["Second", "First"]
assert first.get_sender() == "app@shop.example"
assert first.get_recipients() == ["anna@shop.example"]
assert first.content.body == "Your code is 482913.", first.content.body
assert first.mime is None
assert second.mime.parts[0].body.strip() == "Plain text"
assert "data.csv" in second.mime.parts[1].headers["Content-Disposition"]

page = client.messages(start=1, limit=1)
assert (page.total, page.start, page.count) == (2, 1, 1), page
assert [one.id for one in page.items] == [first.id]

assert [one.id for one in client.search("482913").items] == [first.id]
assert [one.id for one in client.search("ben@shop.example", kind="to").items] == [second.id]
assert client.search("app@shop.example", "from", start=0, limit=1).total == 2
assert client.search("nothing").items == []

client.delete(found.items[0])
assert [one.id for one in client.messages().items] == [first.id]
client.delete_all()
assert client.messages().total == 0

print(json.dumps(unused(Mailhog, Message)))
