import { useEffect, useState } from 'react'
import { useShortcuts } from '../keyboard.ts'
import { copyText } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'

const COPIED_SHOWN_MS = 1_800

/** The code found in the message. A click or `c` copies it. */
export function CodeChip({ code }: { code: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => setCopied(await copyText(code))
  useShortcuts([{ keys: 'c', label: 'Copy code', run: () => void copy() }])
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className="inline-flex items-center gap-3 rounded-lg border border-accent/40 bg-accent-soft py-1.5 pl-4 pr-3 text-accent transition-colors hover:border-accent"
    >
      <span className="sr-only">Code </span>
      <span className="font-mono text-2xl font-semibold tracking-widest">{code}</span>
      <span className="flex w-20 items-center gap-1.5 text-sm">
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
        {isCopied ? 'Copied' : 'Copy'}
      </span>
    </button>
  )
}
