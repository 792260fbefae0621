// Nodemailer, also behind NestJS, Next.js, Express and Strapi.
import { createTransport } from 'nodemailer'

const transport = createTransport({
  host: process.env.SMTP_HOST ?? 'localhost',
  port: Number(process.env.SMTP_PORT ?? 2525),
  secure: false,
})

await transport.sendMail({
  from: 'app@shop.example',
  to: process.argv[2] ?? 'qa+signup@mailhatch.test',
  subject: 'Your code is 482913',
  text: 'Your code is 482913.',
})
transport.close()
