import { deleteAvatar, putAvatar } from '#contract/directory/pictures.ts'
import { listUsers, readUser } from '#contract/directory/users.ts'
import { useChange, useEndpoint } from '../api/query.ts'
import { PictureField } from '../organizations/pictures/PictureField.tsx'
import { useUser } from '../session/useSession.ts'
import shapes from '#web/ui/shapes.module.css'

/** The face of a person, saved by itself. One's own is changed in the settings. */
export function UserPicture({ orgId, userId }: { orgId: string; userId: string }) {
  const params = { orgId, userId }
  const { name, avatar } = useEndpoint(readUser, { params })
  const isSelf = useUser().id === userId
  const put = useChange(putAvatar, [readUser, listUsers])
  const remove = useChange(deleteAvatar, [readUser, listUsers])
  if (isSelf) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.narrow}`} aria-label="Picture">
      <PictureField
        kind="avatar"
        label="Picture"
        hint="Shown beside the name. PNG, JPEG or WebP."
        name={name}
        picture={avatar}
        onSave={(data) => put.mutateAsync({ params, body: { data } })}
        onRemove={() => remove.mutateAsync({ params })}
      />
    </section>
  )
}
