import { Suspense, useEffect, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useShortcuts } from '../keyboard.ts'
import { lazyPart } from '../lazy-part.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { TopBar } from './top-bar.tsx'

const ShortcutsDialog = lazyPart(() => import('./shortcuts-dialog.tsx'))
const loadPalette = () => import('./palette.tsx')
const Palette = lazyPart(loadPalette)

/** Layout of every signed-in page. The page scrolls, the top bar stays. */
export function Shell({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation()
  const [shown, setShown] = useState<'keys' | 'palette' | null>(null)
  const showShortcuts = () => setShown('keys')
  const showPalette = () => setShown('palette')
  const close = () => setShown(null)
  useShortcuts([
    { keys: '?', label: 'Show keyboard shortcuts', run: showShortcuts },
    { keys: 'Mod+k', label: 'Search commands', run: showPalette },
    { keys: 'g i', label: 'Go to inbox', run: () => navigate('/') },
    { keys: 'g k', label: 'Go to API keys', run: () => navigate('/settings/keys') },
    { keys: 'g w', label: 'Go to webhooks', run: () => navigate('/settings/webhooks') },
  ])
  useEffect(() => {
    // Preload at the first key press, so that keys typed right after Ctrl+K reach the palette and not the page.
    const load = () => void loadPalette().catch(() => {})
    document.addEventListener('keydown', load, { once: true })
    return () => document.removeEventListener('keydown', load)
  }, [])
  return (
    <div className="flex h-dvh flex-col print:block print:h-auto">
      <a
        href="#main"
        className="absolute left-2 top-2 z-60 -translate-y-24 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <TopBar onShowShortcuts={showShortcuts} onShowPalette={showPalette} />
      <main
        id="main"
        tabIndex={-1}
        className="relative min-h-0 grow overflow-y-auto outline-none print:overflow-visible"
      >
        {/* A new page resets the error. All inbox URLs share one key, so that the list keeps its scroll position. */}
        <ErrorBoundary key={path.split('/')[1]?.replace(/^[am]$/, '')}>{children}</ErrorBoundary>
      </main>
      <Suspense>
        {shown === 'keys' && <ShortcutsDialog onClose={close} />}
        {shown === 'palette' && <Palette onClose={close} onShowShortcuts={showShortcuts} />}
      </Suspense>
    </div>
  )
}
