import { useEffect, useState } from 'react'
import { Button, IconButton, type ButtonLook } from './button.tsx'
import { announce, notify } from './notices.ts'

const SAID_MS = 1_800

/** Says that it copied, where it was pressed. Without `label` it is only an icon. */
export function CopyButton({
  text,
  label,
  what = 'Copy',
  look = 'plain',
}: {
  text: string
  label?: string
  what?: string
  look?: ButtonLook
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => setCopied(await copyText(text))
  const icon = isCopied ? 'check' : 'copy'
  if (label === undefined)
    return <IconButton icon={icon} label={isCopied ? 'Copied' : what} onClick={() => void copy()} />
  return (
    <Button look={look} icon={icon} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

/** False when the browser does not let us, which is then said. */
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

/** Browsers have a clipboard only over https and on localhost; this old way works elsewhere too. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Inside an open dialog, where focus may go.
  const place = document.activeElement?.closest('[role=dialog], [role=alertdialog]') ?? document.body
  const focused = document.activeElement
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
