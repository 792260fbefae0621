import type { Hono } from 'hono'
import { z } from 'zod'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { requireScope } from '../../http/view.ts'
import type { TaggedMessage } from '../../store/message-tags.ts'
import type { View } from '../../store/messages.ts'
import { viewFor, type PeerContext, type PeerEnvironment } from '../caller.ts'
import { slicesOf } from '../walk.ts'
import { readFields } from './bodies.ts'
import { positionsOf } from '../mails.ts'
import { findAllCopies, type MailpitPorts } from './caller.ts'
import { asWritten, cleanTag, cleanTags, hasTag, SET_TAGS_LENGTH_MAX, sortTags, TAGS_MAX, withoutTag } from './tags.ts'

/** Messages per transaction. It takes a few milliseconds, during which arriving mail has to wait. */
const ROWS_PER_CHANGE = 100
/** A rename that other changes of tags interrupt this often overwrites the next one. */
const INTERRUPTIONS_MAX = 10

const tagsBody = z.object({ ids: z.array(z.string()).nullish(), tags: z.array(z.string()).nullish() })
const nameBody = z.object({ name: z.string().nullish() })

/** Tags that clients set replace those of the mail, but only here: the address of a message and its tag stay. */
export function addTagRoutes(app: Hono<PeerEnvironment>, ports: MailpitPorts): void {
  const { store, search, events } = ports

  app.get('/api/v1/tags', async (context) => {
    return context.json(Array.from((await search.countTags(viewFor(ports, context))).keys()))
  })

  app.put('/api/v1/tags', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const body = await bodyOf(context, tagsBody)
    const given = cleanTags(body.tags ?? [])
    if (given.length > TAGS_MAX || given.join('').length > SET_TAGS_LENGTH_MAX) throw tooManyTags()
    const view = viewFor(ports, context)
    const found = await findAllCopies(store, view, body.ids ?? [])
    const tags = found.length > 0 ? sortTags(asWritten(given, (await search.countTags(view)).keys())) : []
    for (const positions of slicesOf(positionsOf(found), ROWS_PER_CHANGE)) {
      const messages = positions.map((position) => ({ position, tags }))
      await store.setTags(view.teamId, messages, null)
    }
    const ids = found.map(([{ id }]) => id)
    await events.tagged(view.teamId, ids, given)
    return context.text('ok')
  })

  app.put('/api/v1/tags/:tag', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const body = await bodyOf(context, nameBody)
    const tag = context.req.param('tag')
    const name = cleanTag(body.name ?? '')
    if (name === '') throw new AppError('validation_failed', 'invalid tag name: nothing is left of it')
    if (tag !== name) await replaceTag(viewFor(ports, context), tag, name)
    return context.text('ok')
  })

  app.delete('/api/v1/tags/:tag', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    await replaceTag(viewFor(ports, context), context.req.param('tag'), null)
    return context.text('ok')
  })

  /** Renames a tag of the newest messages, or takes it from them. */
  async function replaceTag(view: View, tag: string, name: string | null): Promise<void> {
    let { found, tagVersion } = await search.withTag(view, tag)
    if (found.length === 0) throw new AppError('validation_failed', 'tag not found')
    if (name !== null && name.toLowerCase() !== tag.toLowerCase()) {
      const { found: others } = await search.withTag(view, name)
      if (others.length > 0) throw new AppError('validation_failed', 'tag already exists')
    }
    // From here on, it does not end before all messages are changed, even if the client has left.
    const { proceed: _, ...whole } = view
    const mailboxIds = new Set<string>()
    for (let interruptions = 0; ; interruptions++) {
      for (const { copies, tags } of found) if (hasTag(tags, tag)) mailboxIds.add(copies[0].mailboxId)
      const changed = found.flatMap(({ copies, tags }) => {
        const left = hasTag(tags, tag) ? withoutTag(tags, tag, name) : tags
        return copies.map(({ position }) => ({ position, tags: left }))
      })
      if (await setInSteps(view.teamId, changed, interruptions < INTERRUPTIONS_MAX ? tagVersion : null)) break
      ;({ found, tagVersion } = await search.withTag(whole, tag))
    }
    events.retagged(view.teamId, mailboxIds)
  }

  /** With the version of the tags that were read, false if others have set tags since. */
  async function setInSteps(teamId: string, messages: TaggedMessage[], readVersion: number | null): Promise<boolean> {
    let version = readVersion
    for (const group of slicesOf(messages, ROWS_PER_CHANGE)) {
      if (!(await store.setTags(teamId, group, version))) return false
      if (version !== null) version++
    }
    return true
  }
}

function tooManyTags(): AppError {
  const limits = `${TAGS_MAX} tags, with ${SET_TAGS_LENGTH_MAX} characters together`
  return new AppError('validation_failed', `A message has at most ${limits}.`)
}

async function bodyOf<Schema extends z.ZodType>(context: PeerContext, schema: Schema): Promise<z.output<Schema>> {
  const body = await readFields(context.req.raw, schema)
  if (body === null) throw new AppError('validation_failed', 'The body is empty.')
  return body
}
