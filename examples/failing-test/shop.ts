// The app under test, with a bug: the code goes to an address without its tag.
import { createTransport } from 'nodemailer'

export async function signUp(email: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port: Number(process.env['SMTP_PORT']) })
  await transport.sendMail({
    from: 'Shop <app@shop.example>',
    to: withoutTag(email),
    subject: 'Verify your address',
    text: 'Your code is 482913.',
  })
  transport.close()
}

/** Meant to recognise a person who signs up twice. */
const withoutTag = (email: string): string => email.replace(/\+.*@/, '@')
