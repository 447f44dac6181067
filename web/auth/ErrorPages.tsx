import { paths } from '#web/paths.ts'
import { FacePicture } from '#web/shell/FacePicture.tsx'
import { faces, type FaceStatus } from '#web/shell/faces.ts'
import { product } from '#web/ui/product.ts'
import { Frame } from './Frame.tsx'

/** An error page at its own address. */
export function ErrorAlone({ status }: { status: FaceStatus }) {
  const { headline, sentence } = faces[status]
  return (
    <Frame>
      <div className="card face">
        <FacePicture status={status} />
        <h1 tabIndex={-1}>{headline}</h1>
        <p className="lead">{sentence}</p>
        <a href={paths.home()} className="button">
          {status === 401 ? 'Sign in' : 'Back to the start page'}
        </a>
      </div>
    </Frame>
  )
}

export function Maintenance() {
  return (
    <Frame>
      <div className="card face">
        <FacePicture status="maintenance" />
        <h1 tabIndex={-1}>Site Under Maintenance</h1>
        <p className="lead">
          {product.name} is being worked on and will be back soon. Nothing that you have saved is lost. For
          urgent matters please ask your administrator.
        </p>
        <button type="button" className="button" onClick={() => location.assign(paths.home())}>
          Try again
        </button>
      </div>
    </Frame>
  )
}
