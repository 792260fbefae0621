import type { KnownScript } from './scenario.ts'

type Address = { domain: string; mailbox: string; tag: string | null }

type MailboxScripts = {
  exact: Map<string | null, KnownScript>
  prefixes: Map<string, KnownScript>
  /** Of the prefixes, each once, the longest first. */
  lengths: number[]
}

/**
 * Finds the script of an address. Of several that apply, the most exact one decides. The work depends on the length of the tag, and
 * not on how many scripts there are: all mail is looked up here.
 */
export class ScriptIndex {
  #mailboxes = new Map<string, MailboxScripts>()

  constructor(scripts: KnownScript[]) {
    for (const script of scripts) {
      const { exact, prefixes } = this.#add(nameOf(script))
      if (script.match === 'exact') exact.set(script.tag, script)
      else prefixes.set(script.tag ?? '', script)
    }
    for (const each of this.#mailboxes.values()) {
      const lengths = new Set(Array.from(each.prefixes.keys(), ({ length }) => length))
      each.lengths = [...lengths].sort((one, other) => other - one)
    }
  }

  find(address: Address): KnownScript | null {
    // Most servers have no scripts at all.
    const scripts = this.#mailboxes.size === 0 ? undefined : this.#mailboxes.get(nameOf(address))
    if (scripts === undefined) return null
    const exact = scripts.exact.get(address.tag)
    if (exact !== undefined) return exact
    const tag = address.tag ?? ''
    for (const length of scripts.lengths) {
      const script = length <= tag.length ? scripts.prefixes.get(tag.slice(0, length)) : undefined
      if (script !== undefined) return script
    }
    return null
  }

  #add(name: string): MailboxScripts {
    const known = this.#mailboxes.get(name)
    if (known) return known
    const added: MailboxScripts = { exact: new Map(), prefixes: new Map(), lengths: [] }
    this.#mailboxes.set(name, added)
    return added
  }
}

function nameOf({ mailbox, domain }: Pick<Address, 'mailbox' | 'domain'>): string {
  return `${mailbox}@${domain}`
}
