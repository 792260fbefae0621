import { startFileServer } from './support/file-server.ts'
import { describeMailboxRaces } from './support/mailbox-races.ts'

describeMailboxRaces(await startFileServer(), { rounds: 100, mailsEach: 600 })
