import type { Hono } from 'hono'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { RESERVED_NAMES } from '../../domain/reserved-names.ts'
import { trimmedPattern } from '../../domain/text-patterns.ts'
import { isUuid } from '../../domain/uuid.ts'
import { chosenName, createMailbox, renameMailbox } from '../../manage/mailboxes.ts'
import { removeMailbox, type RemovalPorts } from '../../manage/removal.ts'
import type { Mailbox, Store } from '../../store/store.ts'
import type { ApiEnvironment } from '../app.ts'
import { readBody } from '../body.ts'
import { readAsked } from '../asked-mailbox.ts'
import { readMailboxesParams } from '../message-params.ts'
import { presentMailbox } from '../present.ts'
import { searchParams } from '../query.ts'
import { requireChange, viewOf } from '../view.ts'

export const mailboxBody = z
  .object({
    name: z.string().meta({
      description: 'Letters, digits, dot, dash, underscore; 1 to 64. Kept in lower case; some names are reserved.',
      pattern: trimmedPattern('[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?'),
      not: { pattern: trimmedPattern(Array.from(RESERVED_NAMES, inAnyCase).join('|')) },
      example: 'orders',
    }),
  })
  .meta({ id: 'MailboxName' })

type Ports = Omit<RemovalPorts, 'store'> & {
  store: Store
  rootDomain: string
  newId: (now: number) => string
}

export function addMailboxRoutes(app: Hono<ApiEnvironment>, ports: Ports): void {
  app.get('/v1/mailboxes', async (context) => {
    const principal = context.get('principal')
    const { filter } = await readAsked(ports, principal, searchParams(context.req.url), readMailboxesParams)
    const view = viewOf(principal, filter, ports.now())
    const all = await ports.store.listMailboxes(view.teamId)
    return context.json({ data: all.filter((mailbox) => isShown(view.filter, mailbox)).map(presentMailbox) })
  })

  app.post('/v1/mailboxes', async (context) => {
    const principal = context.get('principal')
    const name = await readName(context.req.raw)
    requireChange(principal)
    return context.json({ data: presentMailbox(await createMailbox(ports, principal.team, name)) }, 201)
  })

  app.patch('/v1/mailboxes/:id', async (context) => {
    const principal = context.get('principal')
    const name = await readName(context.req.raw)
    requireChange(principal)
    const id = readId(context.req.param('id'))
    return context.json({ data: presentMailbox(await renameMailbox(ports, principal.team.id, id, name)) })
  })

  app.delete('/v1/mailboxes/:id', async (context) => {
    const principal = context.get('principal')
    requireChange(principal)
    const id = readId(context.req.param('id'))
    if (!(await removeMailbox(ports, { teamId: principal.team.id, id }))) throw notFound()
    return context.json({ data: { id } })
  })
}

async function readName(request: Request): Promise<string> {
  const { name } = await readBody(request, mailboxBody)
  return chosenName(name)
}

function inAnyCase(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

type Shown = ReturnType<typeof viewOf>['filter']

function isShown({ mailboxId, mailbox: wanted }: Shown, { id, name, domain }: Mailbox): boolean {
  if (mailboxId !== undefined && mailboxId !== id) return false
  return !wanted || (wanted.name === name && (wanted.domain === null || wanted.domain === domain))
}

function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isUuid(id)) throw notFound()
  return id
}

function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}
