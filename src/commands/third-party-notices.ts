/** The build of the executable replaces this module with the text (packaging/embedded-assets.ts). */
export async function thirdPartyNotices(): Promise<string> {
  const { gatherNotices } = await import("../../packaging/third-party-notices");
  return gatherNotices();
}
