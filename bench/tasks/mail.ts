export type MailOptions = {
  sizeBytes: number
  recipient: string
  /** In its subject and bodies. */
  code?: string
  /** Whether most of it is an attachment. */
  hasAttachment?: boolean
}

/** The SMTP commands for one mail, prepared in advance to keep sending cheap. */
export type MailCommands = { from: Buffer; recipient: Buffer; data: Buffer; content: Buffer }

export const EHLO = Buffer.from('EHLO load.test\r\n')
export const QUIT = Buffer.from('QUIT\r\n')

const SENDER = 'no-reply@shop.test'
const BOUNDARY = 'b1_7f3a9c21d4e8'

export function mailCommands(options: MailOptions): MailCommands {
  return {
    from: Buffer.from(`MAIL FROM:<${SENDER}>\r\n`),
    recipient: Buffer.from(`RCPT TO:<${options.recipient}>\r\n`),
    data: Buffer.from('DATA\r\n'),
    content: Buffer.concat([mailOfSize(options), Buffer.from('.\r\n')]),
  }
}

/** A typical sign-up mail with text, HTML, a code and a link, padded to the given size by its HTML or an attachment. */
export function mailOfSize({ sizeBytes, recipient, code = '482913', hasAttachment = false }: MailOptions): Buffer {
  const head = [
    'Received: from app.shop.test (app.shop.test [192.0.2.10]) by mx.shop.test; Mon, 2 Nov 2026 09:00:00 +0000',
    `From: "The Shop" <${SENDER}>`,
    `To: ${recipient}`,
    `Subject: ${code} is your confirmation code`,
    'Message-ID: <20261102090000.7f3a9c21@shop.test>',
    'Date: Mon, 2 Nov 2026 09:00:00 +0000',
    'MIME-Version: 1.0',
    '',
  ].join('\r\n')
  const [start, end] = bodies(code)
  const parts: [string, string, string] = hasAttachment
    ? [`${head}${MIXED}${start}${end}${ATTACHMENT}`, ATTACHED_LINE, `--${OUTER_BOUNDARY}--\r\n`]
    : [`${head}${start}`, FILLING, end]
  return padded(parts, sizeBytes)
}

function padded([start, line, end]: [string, string, string], sizeBytes: number): Buffer {
  const lines = Math.max(0, Math.floor((sizeBytes - start.length - end.length) / line.length))
  return Buffer.from(start + line.repeat(lines) + end)
}

/** Before and after what the HTML is padded with. */
function bodies(code: string): [start: string, end: string] {
  const start = [
    `Content-Type: multipart/alternative; boundary="${BOUNDARY}"`,
    '',
    `--${BOUNDARY}`,
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    'Hello,',
    '',
    `your confirmation code is ${code}. It is valid for ten minutes.`,
    'Or follow this link: https://shop.test/confirm?token=a81f5c',
    '',
    'If you did not ask for an account, nothing needs to be done.',
    `--${BOUNDARY}`,
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `<html><body><p>Hello,</p><p>your confirmation code is <b>${code}</b>.</p>`,
    '<p><a href=3D"https://shop.test/confirm?token=3Da81f5c">Confirm your address</a></p>',
    '',
  ]
  return [start.join('\r\n'), ['</body></html>', `--${BOUNDARY}--`, ''].join('\r\n')]
}

const FILLING = '<p style=3D"margin:0">Free delivery on orders above thirty euro.</p>\r\n'

const OUTER_BOUNDARY = 'b0_2c9e5b7731aa'
const MIXED = [`Content-Type: multipart/mixed; boundary="${OUTER_BOUNDARY}"`, '', `--${OUTER_BOUNDARY}`, ''].join(
  '\r\n',
)
const ATTACHMENT = [
  `--${OUTER_BOUNDARY}`,
  'Content-Type: application/pdf; name="receipt.pdf"',
  'Content-Disposition: attachment; filename="receipt.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  '',
].join('\r\n')
/** As long as lines of base64 are. */
const ATTACHED_LINE = `${Buffer.alloc(57, 'receipt').toString('base64')}\r\n`
