/** Calls whose body is a file. */
export const filesOfVideos = {
  putCaption: () => ({
    params: { language: 'de' },
    body: Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nWords'),
    headers: { 'content-type': 'text/vtt' },
  }),
  sendSpeechModel: () => ({
    query: { offset: '0' },
    body: Buffer.alloc(100),
    headers: { 'content-type': 'application/octet-stream' },
  }),
}
