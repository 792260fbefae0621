import { once } from 'node:events'
import { connect } from 'node:net'
import { newSecret } from '../../src/random.ts'
import { madeSecret } from '../support/made-secrets.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Sends a mail after AUTH, signs in with wrong passwords, and puts them where none belongs. */
export async function usePasswordsBySmtp(port: number, password: string, to: string): Promise<void> {
  const wrong = () => madeSecret(newSecret())
  const mail = ['MAIL FROM:<app@shop.example>', `RCPT TO:<${to}>`, 'DATA', 'Subject: after AUTH\r\n\r\nhello\r\n.']
  const dialogues = [
    [`AUTH PLAIN ${base64(`\0user\0${password}`)}`, ...mail],
    [`AUTH PLAIN ${base64(`\0user\0${wrong()}`)}`],
    [`AUTH PLAIN ${wrong()}!`],
    ['AUTH PLAIN', base64(`\0user\0${wrong()}`)],
    ['AUTH LOGIN', base64('user'), base64(password)],
    ['AUTH LOGIN', base64('user'), base64(wrong())],
    [`AUTH ${wrong()}`],
    [`${wrong()} ${wrong()}`],
    [`MAIL FROM:<app@shop.example> AUTH=${wrong()}`],
    [`EHLO ${wrong()}`],
  ]
  for (const lines of dialogues) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    for (const line of ['EHLO client.test', ...lines, 'QUIT']) {
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
      socket.write(`${line}\r\n`)
    }
    if (!socket.closed) await once(socket.resume(), 'close')
  }
}
