import { Button } from '@mantine/core'
import { IconKeyboard } from '@tabler/icons-react'
import { readAccount } from '#contract/account.ts'
import { deleteOwnAvatar, putOwnAvatar } from '#contract/pictures.ts'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { PictureField } from '#web/organizations/pictures/PictureField.tsx'
import { help } from '#web/layout/shortcuts/keys.ts'
import { useUser } from '#web/session/useSession.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
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
          <OwnPicture />
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
  const user = useUser()
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="You">
      <div className={shapes.named}>
        <Avatar name={user.name} picture={user.avatar} size={48} />
        <div>
          <h2>{user.name}</h2>
          <p className={shapes.lead}>{user.email}</p>
        </div>
      </div>
      <Facts
        facts={[
          { label: 'Role', value: roleNames[user.role] },
          {
            label: 'Organization',
            value: user.organizationName ?? (user.role === 'superadmin' ? 'All organizations' : dash),
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

function OwnPicture() {
  const { name, avatar } = useUser()
  const put = useChange(putOwnAvatar)
  const remove = useChange(deleteOwnAvatar)
  return (
    <section className={`${shapes.card} ${shapes.pad}`} aria-label="Picture">
      <PictureField
        kind="avatar"
        label="Picture"
        hint="Others see it beside your name. PNG, JPEG or WebP."
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
