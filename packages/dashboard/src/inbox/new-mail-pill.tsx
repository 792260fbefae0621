import { Icon } from '../ui/icon.tsx'

/** Counts messages that arrived while the list was scrolled down. Only a click scrolls the list to them. */
export function NewMailPill({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null
  return (
    <div className="relative z-10 h-0">
      <button
        type="button"
        onClick={onShow}
        className="absolute left-1/2 top-2 flex min-h-8 -translate-x-1/2 items-center gap-1.5 rounded-full bg-accent px-3.5 text-sm font-medium text-on-accent shadow-float hover:bg-accent-strong"
      >
        <span className="rotate-180">
          <Icon name="down" size={12} />
        </span>
        {count} new
      </button>
    </div>
  )
}
