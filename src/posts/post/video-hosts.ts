/** Hosts whose videos a post may embed. The content security policy uses this list too. */
export const VIDEO_HOSTS = ["www.youtube-nocookie.com", "www.youtube.com", "player.vimeo.com"];
