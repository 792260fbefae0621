import { useLocation } from 'wouter'
import { keyText } from '../keyboard.ts'
import { setPreference, usePreference } from '../preferences.ts'
import { useSession } from '../session.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../ui/menu.tsx'
import { UserButton } from './user-button.tsx'
import { useSignOut } from './use-sign-out.ts'

export function UserMenu({
  onShowShortcuts,
  onShowPalette,
}: {
  onShowShortcuts: () => void
  onShowPalette: () => void
}) {
  const { me, team } = useSession()
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const theme = usePreference('theme')
  const zone = usePreference('zone')
  return (
    <Menu trigger={<UserButton />}>
      <div className="px-2.5 pb-2 pt-1.5 text-sm">
        <p className="font-medium">{me.name || me.email}</p>
        <p className="text-quiet">
          {me.name ? `${me.email} · ` : ''}
          {team.role} of {team.name}
        </p>
      </div>
      <MenuLine />
      <MenuChoice
        label="Theme"
        value={theme}
        choices={[
          { value: 'system', text: 'System' },
          { value: 'light', text: 'Light' },
          { value: 'dark', text: 'Dark' },
        ]}
        onChoose={(value) => setPreference('theme', value)}
      />
      <MenuChoice
        label="Time zone"
        value={zone}
        choices={[
          { value: 'local', text: 'Local' },
          { value: 'utc', text: 'UTC' },
        ]}
        onChoose={(value) => setPreference('zone', value)}
      />
      <MenuLine />
      <MenuItem icon="search" onSelect={onShowPalette}>
        <span className="grow">Search commands</span>
        <kbd className="pl-4 font-sans text-xs text-quiet">{keyText('Mod+k')}</kbd>
      </MenuItem>
      <MenuItem icon="keyboard" onSelect={onShowShortcuts}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon="user" onSelect={() => navigate('/settings/account')}>
        Account
      </MenuItem>
      <MenuItem icon="signOut" onSelect={() => signOut.run()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
