import { Button } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { readSession } from '#contract/auth.ts'
import { useList } from '#web/api/query.ts'
import { roleNames } from '#web/shell/roleNames.ts'
import { help } from '#web/shell/shortcuts/keys.ts'
import { useUser } from '#web/shell/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { Facts } from '#web/ui/Field.tsx'
import { dash } from '#web/ui/format.ts'
import { DateTime } from '#web/ui/Time.tsx'

/** The signed-in person, to read. */
export function Profile() {
  const user = useUser()
  const { page: present } = useList(readSession, {})
  return (
    <div className="ui-card ui-card-pad profile">
      <div className="profile-head">
        <Avatar name={user.name} size={48} />
        <div>
          <h2>{user.name}</h2>
          <p>{user.email}</p>
        </div>
      </div>
      <Facts
        facts={[
          { label: 'Role', value: roleNames[user.role] },
          {
            label: 'Organization',
            value: user.organizationName ?? (user.role === 'superadmin' ? 'All organizations' : dash),
          },
          { label: 'Signed in until', value: present ? <DateTime iso={present.expiresAt} /> : dash },
        ]}
      />
      <Button
        variant="default"
        leftSection={<IconKeyboard size={16} aria-hidden />}
        aria-haspopup="dialog"
        onClick={help.open}
      >
        Keyboard shortcuts
      </Button>
    </div>
  )
}
