import { useEffect, useState } from 'react'
import { Button, IconButton, type ButtonVariant } from './button.tsx'
import { announce, notify } from './notices.ts'

const COPIED_SHOWN_MS = 1_800

/** Shows “Copied” after a click. Without `label` it is only an icon. */
export function CopyButton({
  text,
  label,
  what = 'Copy',
  variant = 'plain',
}: {
  text: string
  label?: string
  what?: string
  variant?: ButtonVariant
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => setCopied(await copyText(text))
  const icon = isCopied ? 'check' : 'copy'
  if (label === undefined)
    return <IconButton icon={icon} label={isCopied ? 'Copied' : what} onClick={() => void copy()} />
  return (
    <Button variant={variant} icon={icon} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

/** False if the browser denies access to the clipboard; then a notice says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    if (!copyBySelection(text)) {
      notify('The browser does not allow copying here. Select the text and copy it by hand.', { kind: 'bad' })
      return false
    }
  }
  announce('Copied')
  return true
}

/** Fallback for plain http, where browsers have no clipboard API except on localhost. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // An open dialog traps the focus, so the text area must be inside it.
  const container = document.activeElement?.closest('[role=dialog], [role=alertdialog]') ?? document.body
  const focused = document.activeElement
  container.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
