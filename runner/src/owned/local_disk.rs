//! A path → whether its file system belongs to this machine alone, so that locks of the system reach everybody who can
//! write there. A file system that is not known here counts as shared.

use std::path::Path;

/// Kinds of file systems on disks and in memory, by the number that Linux gives them (`linux/magic.h` and the file
/// systems' own sources).
#[cfg(target_os = "linux")]
const LOCAL: [u32; 12] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs, whose written layer is never on a network
    0xf2f5_2010, // F2FS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
    0x8584_58f6, // ramfs
    0x3153_464a, // JFS
    0x5265_4973, // ReiserFS
    0x7366_746e, // NTFS of the kernel
];

/// True if the file system at this path is known to belong to this machine alone.
#[allow(unsafe_code)]
pub(crate) fn is_on_a_local_disk(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: `statfs` is plain data for which all zeroes is valid; the call only reads the path and writes into it.
    let (outcome, found) = unsafe {
        let mut found: libc::statfs = std::mem::zeroed();
        (libc::statfs(path.as_ptr(), &raw mut found), found)
    };
    outcome == 0 && is_local(&found)
}

#[cfg(target_os = "linux")]
fn is_local(found: &libc::statfs) -> bool {
    // The field's type differs between processors; the number has 32 bits on each.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    let kind = found.f_type as u32;
    LOCAL.contains(&kind)
}

#[cfg(target_os = "macos")]
fn is_local(found: &libc::statfs) -> bool {
    found.f_flags & libc::MNT_LOCAL as u32 != 0
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn is_local(_: &libc::statfs) -> bool {
    false
}
