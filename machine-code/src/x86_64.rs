//! The number of an x86-64 relocation → the size and the meaning of its field.
//!
//! Numbers and sizes follow the System V ABI's x86-64 supplement, table 4.9. An unlisted kind makes the whole program
//! not comparable: an unknown field could hide a difference.

/// Value that the linker put into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RelocationMeaning {
    /// The address of the target.
    Address,
    /// The distance of the target from the field, plus the rest of the instruction after the field.
    Distance,
    /// The distance of the target's table slot. The linker may have rewritten the instruction to avoid the table, as
    /// the bytes before the field show.
    Slot,
    /// The target's offset among the thread-local variables, minus the bytes after the field.
    ThreadSlot,
    /// The target's offset among the thread-local variables.
    ThreadOffset,
    /// The block of thread-local variables as a whole.
    ThreadModule,
    /// No field: a marker for the linker.
    Mark,
}

/// A relocation's meaning and the size of its field in bytes; `None` if unknown.
pub(super) fn relocation_meaning(kind: object::elf::RelocationType) -> Option<(RelocationMeaning, u8)> {
    use object::elf;
    Some(match kind {
        elf::R_X86_64_64 => (RelocationMeaning::Address, 8),
        elf::R_X86_64_32 | elf::R_X86_64_32S => (RelocationMeaning::Address, 4),
        elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => (RelocationMeaning::Distance, 4),
        elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => (RelocationMeaning::Slot, 4),
        elf::R_X86_64_TLSGD | elf::R_X86_64_GOTTPOFF | elf::R_X86_64_GOTPC32_TLSDESC => {
            (RelocationMeaning::ThreadSlot, 4)
        }
        elf::R_X86_64_TLSLD => (RelocationMeaning::ThreadModule, 4),
        elf::R_X86_64_DTPOFF32 | elf::R_X86_64_TPOFF32 => (RelocationMeaning::ThreadOffset, 4),
        elf::R_X86_64_DTPOFF64 | elf::R_X86_64_TPOFF64 => (RelocationMeaning::ThreadOffset, 8),
        elf::R_X86_64_NONE | elf::R_X86_64_TLSDESC_CALL => (RelocationMeaning::Mark, 0),
        _ => return None,
    })
}

/// How an instruction uses an address relative to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum AddressAccess {
    /// It takes the address, or jumps there: the accessed size is unknown.
    Taken,
    /// It reads or writes this many bytes at the address; an address relative to the instruction has no index.
    Direct {
        /// Upper bound.
        bytes: u8,
        /// Bytes by which the computed address may be too low, because of an immediate value after the field.
        low: u8,
    },
}

/// Largest immediate value after a field.
const LARGEST_IMMEDIATE: u8 = 4;

/// How the instruction with a 4-byte distance after these bytes uses it. In doubt, the wider answer.
pub(super) fn instruction_access(before: &[u8]) -> AddressAccess {
    let at = |back: usize| {
        before
            .len()
            .checked_sub(back)
            .map(|index| before[index])
            .unwrap_or_default()
    };
    let (model, opcode) = (at(1), at(2));
    // Relative to the instruction: mod = 00, r/m = 101. Everything else here is a call or a jump.
    if model & 0xc7 != 0x05 || opcode == LEA {
        return AddressAccess::Taken;
    }
    let third_map =
        (at(4), at(3)) == (0x0f, 0x3a) || (at(5) == 0xc4 && at(4) & 0x1f == 3) || (at(6) == 0x62 && at(5) & 0x07 == 3);
    let low = if third_map || WITH_IMMEDIATE.contains(&opcode) {
        LARGEST_IMMEDIATE
    } else {
        0
    };
    // The widest vectors that one of these prefixes allows; operands of other instructions may look like a prefix,
    // which only widens the answer.
    let wide = |prefix: u8| (3..=8).any(|back| at(back) == prefix);
    let bytes = if wide(0x62) {
        64
    } else if wide(0xc4) || wide(0xc5) {
        32
    } else if matches!(opcode, 0x88..=0x8b) && at(3) != 0x0f {
        8
    } else {
        16
    };
    AddressAccess::Direct { bytes, low }
}

/// Opcodes with an immediate value in one of the instruction set's tables, except the third vector table, where all
/// have one.
const WITH_IMMEDIATE: [u8; 18] = [
    0x69, 0x6b, 0x70, 0x80, 0x81, 0x83, 0xa4, 0xac, 0xba, 0xc0, 0xc1, 0xc2, 0xc4, 0xc5, 0xc6, 0xc7, 0xf6, 0xf7,
];

/// The instruction that computes an address.
const LEA: u8 = 0x8d;

#[cfg(test)]
mod tests {
    use super::{AddressAccess, instruction_access};

    #[test]
    fn addresses_that_are_taken_are_distinguished_from_those_that_are_read() {
        // lea rdi, [rip + …]; call …; jmp …; jae …
        for taken in [&[0x48, 0x8d, 0x3d][..], &[0xe8], &[0xe9], &[0x0f, 0x83], &[]] {
            assert_eq!(instruction_access(taken), AddressAccess::Taken, "{taken:x?}");
        }
        // mov rax, [rip + …]
        assert_eq!(
            instruction_access(&[0x48, 0x8b, 0x05]),
            AddressAccess::Direct { bytes: 8, low: 0 }
        );
        // movups xmm0, [rip + …]; cmp byte [rip + …], 1
        for (read, low) in [([0x0f, 0x10, 0x05], 0), ([0x90, 0x80, 0x3d], 4)] {
            assert_eq!(instruction_access(&read), AddressAccess::Direct { bytes: 16, low });
        }
        // vmovdqa ymm0, [rip + …]; pshufd xmm0, [rip + …], 1; palignr xmm0, [rip + …], 1
        for (read, bytes, low) in [
            (&[0xc5, 0xfd, 0x6f, 0x05][..], 32, 0),
            (&[0x66, 0x0f, 0x70, 0x05], 16, 4),
            (&[0x66, 0x0f, 0x3a, 0x0f, 0x05], 16, 4),
        ] {
            assert_eq!(
                instruction_access(read),
                AddressAccess::Direct { bytes, low },
                "{read:x?}"
            );
        }
    }
}
