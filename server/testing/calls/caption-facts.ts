const inGerman = { params: { language: 'de' } }

/** What is said in videos: captions, their cues, and what recognises speech. Two of these calls take a file. */
export const saidInVideos = {
  readCaption: () => inGerman,
  putCaption: () => ({
    ...inGerman,
    body: Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nWords'),
    headers: { 'content-type': 'text/vtt' },
  }),
  deleteCaption: () => inGerman,
  chooseCaptions: () => ({ body: { shown: { language: 'de', kind: 'captions' } } }),
  readCues: () => inGerman,
  saveCues: () => ({
    ...inGerman,
    body: { cues: [{ key: 'a', id: '', startMs: 0, endMs: 900, settings: '', text: 'Words' }] },
  }),
  readProofRead: () => inGerman,
  markProofRead: () => ({ ...inGerman, body: { isProofRead: true } }),
  recogniseSpeech: () => ({ ...inGerman, body: { replace: false } }),
  beginSpeechModel: () => ({ body: { name: 'ggml-base.bin', size: 100 } }),
  sendSpeechModel: () => ({
    query: { offset: '0' },
    body: Buffer.alloc(100),
    headers: { 'content-type': 'application/octet-stream' },
  }),
}
