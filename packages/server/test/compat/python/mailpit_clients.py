"""Every method of PyPI's pytest-mailpit, against the server at MAILPIT_URL, which gets mail from SMTP_PORT."""

import asyncio
import json
import os
import smtplib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

import requests
from pytest_mailpit import (
    AsyncInbox,
    AsyncMailpitClient,
    Chaos,
    ChaosTriggers,
    Inbox,
    MailpitAPIError,
    MailpitAssertionError,
    MailpitClient,
    Message,
)
from watched import Watched, unused

URL = os.environ["MAILPIT_URL"]
KEY = os.environ.get("MAILPIT_KEY") or None
CREDENTIALS = {"username": "ci", "password": KEY} if KEY else {}
ALL = "from:app@shop.example"
PNG = bytes.fromhex("89504e470d0a1a0a") + b"\x00" * 64
RELEASE = "https://shop.example/u/7"


def send(to: str, subject: str = "Hello", *, is_rich: bool = False) -> None:
    mail = EmailMessage()
    mail["From"] = "Shop <app@shop.example>"
    mail["To"] = to
    mail["Subject"] = subject
    mail["X-Tags"] = "signup"
    if is_rich:
        mail["List-Unsubscribe"] = f"<mailto:leave@shop.example>, <{RELEASE}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content("Your code is 482913. https://shop.example/reset?t=1")
    if is_rich:
        mail.add_alternative(
            '<h1>Welcome</h1><p>Your code is <b>482913</b>.</p><img src="cid:logo">'
            '<a href="https://shop.example/reset?t=1">Reset</a>',
            subtype="html",
        )
        mail.get_payload()[1].add_related(PNG, maintype="image", subtype="png", cid="<logo>")
        mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="a.pdf")
    with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as smtp:
        smtp.send_message(mail)


def is_refusal(error: MailpitAPIError) -> bool:
    return error.status_code == 400 and "Not supported by Mailhatch" in str(error)


def refused(call: Callable[[], object]) -> None:
    try:
        call()
    except MailpitAPIError as error:
        assert is_refusal(error), error
    else:
        raise AssertionError("expected a refusal")


async def refused_later(call: Awaitable[object]) -> None:
    try:
        await call
    except MailpitAPIError as error:
        assert is_refusal(error), error
    else:
        raise AssertionError("expected a refusal")


def fails(call: Callable[[], object], words: str) -> None:
    try:
        call()
    except MailpitAssertionError as error:
        assert words in str(error), error
    else:
        raise AssertionError("expected a failure")


class Page:
    """A browser, as far as messages use it."""

    html = ""

    def goto(self, url: str) -> None:
        response = requests.get(url, auth=("ci", KEY) if KEY else None, timeout=10)
        assert response.status_code == 200, response.text
        self.html = response.text

    def screenshot(self, *, path: str | None = None, full_page: bool = False) -> bytes:
        assert (path, full_page) == (None, True)
        return PNG


def try_message(given: Message) -> None:
    message: Any = Watched(given)
    assert message.sender.name == "Shop" and message.to[0].address == "anna@shop.example"
    assert message.tags == ("signup",)
    assert message.links("/reset") == ["https://shop.example/reset?t=1"]
    assert message.link(text="Reset") == "https://shop.example/reset?t=1"
    assert message.codes() == ["482913"]
    assert message.code() == "482913"
    assert message.attachment("*.pdf").size == 8
    assert message.attachment(content_type="image/png", include_inline=True).content_id == "logo"
    assert message.unsubscribe_link(one_click=True) == RELEASE
    assert "<h1>Welcome</h1>" in message.open(Page()).html
    assert message.screenshot(Page()) == PNG
    refused(message.check_links)
    refused(message.assert_links_work)
    refused(message.check_html)
    refused(lambda: message.assert_html_support(90))


def try_client() -> None:
    given = MailpitClient(URL, **CREDENTIALS, wait_timeout=10)
    client: Any = Watched(given)
    client.delete_all()
    assert client.url == f"{URL}/"
    assert client.is_ready()
    assert abs(client.server_time() - datetime.now(UTC)) < timedelta(minutes=1)
    since = client.server_time()
    send("anna@shop.example", "First", is_rich=True)
    send("ben@shop.example", "Second")
    info = client.info()
    assert info.version.startswith("v") and (info.messages, info.unread) == (2, 2)
    assert info.tags == {"signup": 2}

    page = client.messages(start=1, limit=1)
    assert (page.total, page.unread, page.messages_count) == (2, 2, 2)
    [first] = page.messages
    assert (first.subject, first.attachments, first.read) == ("First", 1, False)
    assert first.created >= since
    assert client.search("subject:First").messages[0].id == first.id
    assert [one.subject for one in client.search_all(ALL, page_size=1)] == ["Second", "First"]
    assert client.get_message().subject == "Second"
    message = client.get_message(first.id)
    try_message(message)
    assert client.get_headers(first.id)["Subject"] == ["First"]
    assert client.get_raw(first.id).startswith(b"From: Shop <app@shop.example>\r\n")
    [pdf] = message.attachments
    assert client.get_part(first.id, pdf.part_id) == client.get_attachment(pdf) == b"%PDF-1.7"
    refused(lambda: client.check_links(first.id, follow_redirects=True))
    refused(lambda: client.check_html(first.id))
    assert client.view_url(first.id) == f"{URL}/view/{first.id}"
    assert client.html_url(first.id) == f"{URL}/view/{first.id}.html"
    assert client.search_url("is:read") == f"{URL}/search?q=is%3Aread"

    assert client.wait_for_message(recipient="ANNA@shop.example", since=since).id == first.id
    found = client.wait_for_messages(2, ALL, sender="app@shop.example", tag="signup")
    assert [one.subject for one in found] == ["First", "Second"]
    client.assert_no_message(subject="Third", within=0.1)
    fails(
        lambda: client.wait_for_message(recipient="anna@shop.example", subject="Third", timeout=0.1),
        "Messages to anna@shop.example (1)",
    )
    client.mark_read([first.id], read=False)
    assert [one.id for one in client.search_all("is:unread")] == [first.id]
    client.mark_read([first.id])
    assert client.search_all("is:unread") == []
    client.set_tags([first.id], ["failed"])
    assert list(client.get_message(first.id).tags) == ["failed"]
    refused(client.chaos)
    refused(lambda: client.set_chaos(ChaosTriggers()))

    client.delete_messages([first.id])
    client.delete_messages([])
    assert [one.subject for one in client.search_all(ALL)] == ["Second"]
    client.delete_search("subject:Second")
    assert client.messages().total == 0
    send("anna@shop.example")
    client.delete_all()
    assert client.messages().total == 0
    try_inbox(given)
    try_chaos(given)
    client.close()


def try_inbox(client: MailpitClient) -> None:
    inbox: Any = Watched(Inbox(client, "carl@shop.example", wait_timeout=10))
    send("carl@shop.example", "First")
    send("carl@shop.example", "Second")
    send("xcarl@shop.example", "Of another")
    assert inbox.wait_for_message(subject="First").subject == "First"
    assert [one.subject for one in inbox.wait_for_messages(2)] == ["First", "Second"]
    inbox.assert_no_message(subject="Of another", within=0.1)
    assert [one.subject for one in inbox.messages()] == ["First", "Second"]
    assert "Messages to carl@shop.example (2)" in inbox.describe()
    inbox.clear()
    assert inbox.messages() == []
    assert [one.subject for one in client.messages().messages] == ["Of another"]
    client.delete_all()


def try_chaos(client: MailpitClient) -> None:
    chaos: Any = Watched(Chaos(client))
    refused(lambda: chaos.triggers)
    refused(chaos.reject_senders)
    refused(chaos.reject_recipients)
    refused(chaos.reject_authentication)
    refused(chaos.reset)


async def try_async_client() -> None:
    given = AsyncMailpitClient(MailpitClient(URL, **CREDENTIALS))
    client: Any = Watched(given)
    assert client.url == f"{URL}/"
    assert await client.is_ready()
    assert abs(await client.server_time() - datetime.now(UTC)) < timedelta(minutes=1)

    async def send_later() -> None:
        await asyncio.sleep(0.2)
        send("anna@shop.example", "Later", is_rich=True)

    sending = asyncio.create_task(send_later())
    message = await client.wait_for_message(recipient="anna@shop.example", subject="Later")
    await sending
    assert [one.id for one in await client.wait_for_messages(1, ALL)] == [message.id]
    await client.assert_no_message(subject="Never", within=0.1)
    assert (await client.info()).messages == 1
    assert (await client.messages()).total == 1
    assert (await client.search("tag:signup")).messages_count == 1
    assert [one.id for one in await client.search_all(ALL)] == [message.id]
    assert (await client.get_message()).id == message.id
    assert (await client.get_headers(message.id))["X-Tags"] == ["signup"]
    assert b"Subject: Later" in await client.get_raw(message.id)
    [pdf] = message.attachments
    assert await client.get_part(message.id, pdf.part_id) == b"%PDF-1.7"
    assert await client.get_attachment(pdf) == b"%PDF-1.7"
    assert client.view_url(message.id) == f"{URL}/view/{message.id}"
    assert client.html_url(message.id) == f"{URL}/view/{message.id}.html"
    assert client.search_url("x") == f"{URL}/search?q=x"
    await client.mark_read([message.id], read=False)
    assert (await client.messages()).unread == 1
    await refused_later(client.check_links(message.id))
    await refused_later(client.check_html(message.id))
    await client.set_tags([message.id], ["failed"])
    assert list((await client.get_message(message.id)).tags) == ["failed"]
    await refused_later(client.chaos())
    await refused_later(client.set_chaos(ChaosTriggers()))
    await client.delete_messages([message.id])
    assert (await client.messages()).total == 0
    send("anna@shop.example")
    await client.delete_search(ALL)
    send("anna@shop.example")
    await client.delete_all()
    assert (await client.messages()).total == 0
    await try_async_inbox(given.sync)
    client.close()


async def try_async_inbox(client: MailpitClient) -> None:
    inbox: Any = Watched(AsyncInbox(Inbox(client, "dora@shop.example", wait_timeout=10)))
    assert inbox.address == "dora@shop.example"
    send("dora@shop.example", "First")
    send("dora@shop.example", "Second")
    assert (await inbox.wait_for_message(subject="Second")).subject == "Second"
    assert len(await inbox.wait_for_messages(2)) == 2
    await inbox.assert_no_message(subject="Third", within=0.1)
    assert [one.subject for one in await inbox.messages()] == ["First", "Second"]
    await inbox.clear()
    assert await inbox.messages() == []


try_client()
asyncio.run(try_async_client())
print(json.dumps(unused(MailpitClient, AsyncMailpitClient, Inbox, AsyncInbox, Chaos, Message)))
