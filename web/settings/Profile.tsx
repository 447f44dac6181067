import { Button } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { readAccount } from '#contract/identity/account.ts'
import { deleteOwnAvatar, putOwnAvatar } from '#contract/directory/pictures.ts'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { PictureField } from '#web/organizations/pictures/PictureField.tsx'
import { help } from '#web/layout/shortcuts/keys.ts'
import { useUser } from '#web/session/useSession.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { Facts } from '#web/ui/Field.tsx'
import { dash } from '#web/ui/format.ts'
import { Bone } from '#web/ui/Skeletons.tsx'
import { EmailForm } from './EmailForm.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { ProfileForm, tellFrame } from './ProfileForm.tsx'
import shapes from '#web/ui/shapes.module.css'

/** The signed-in person: who they are, how they sign in, and how they leave. */
export function Profile() {
  const { page: account, error, retry } = useList(readAccount, {})
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <div className={`${shapes.stack} ${shapes.narrow}`}>
      <Person />
      {account ? (
        <>
          <ProfileForm account={account} />
          <EmailForm account={account} />
          <PasswordForm account={account} />
        </>
      ) : (
        <Bone height={480} />
      )}
      <Leaving />
    </div>
  )
}

function Person() {
  const { name, email, avatar, role, organizationName } = useUser()
  const put = useChange(putOwnAvatar)
  const remove = useChange(deleteOwnAvatar)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="You">
      <PictureField
        kind="avatar"
        label={name}
        hint={email}
        name={name}
        picture={avatar}
        onSave={async (data) => {
          await put.mutateAsync({ body: { data } })
          await tellFrame()
        }}
        onRemove={async () => {
          await remove.mutateAsync({})
          await tellFrame()
        }}
      />
      <Facts
        facts={[
          { label: 'Role', value: roleNames[role] },
          {
            label: 'Organization',
            value: organizationName ?? (role === 'superadmin' ? 'All organizations' : dash),
          },
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
    </section>
  )
}

function Leaving() {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="leaving">
      <h2 id="leaving">Delete account</h2>
      <p>You have thirty days to change your mind. What you have watched stays as evidence.</p>
      <Button variant="default" color="red" component="a" href={paths.deleteAccount()}>
        Delete my account
      </Button>
    </section>
  )
}
