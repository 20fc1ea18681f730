#pragma once
// The kernel of move_pieces.cu as PTX. Written by `make ptx`.

namespace lapwing {

inline constexpr char move_pieces_ptx[] = R"ptx(.version 6.3
.target sm_75
.address_size 64
.visible .entry lapwing_move_pieces(
	.param .align 8 .b8 lapwing_move_pieces_param_0[40],
	.param .u32 lapwing_move_pieces_param_1
)
{
	.reg .pred 	%p<29>;
	.reg .b16 	%rs<9>;
	.reg .b32 	%r<88>;
	.reg .b64 	%rd<140>;
	ld.param.u32 	%r44, [lapwing_move_pieces_param_1];
	ld.param.u32 	%r43, [lapwing_move_pieces_param_0+32];
	ld.param.u64 	%rd59, [lapwing_move_pieces_param_0+24];
	ld.param.u64 	%rd58, [lapwing_move_pieces_param_0+16];
	ld.param.u64 	%rd57, [lapwing_move_pieces_param_0+8];
	ld.param.u64 	%rd56, [lapwing_move_pieces_param_0];
	cvta.to.global.u64 	%rd1, %rd57;
	cvta.to.global.u64 	%rd2, %rd59;
	mov.u32 	%r1, %ntid.x;
	mov.u32 	%r45, %nctaid.x;
	mul.lo.s32 	%r2, %r45, %r1;
	mov.u32 	%r84, %ctaid.y;
	setp.ge.s32 	%p1, %r84, %r44;
	@%p1 bra 	$L__BB0_48;
	mov.u32 	%r46, %ctaid.x;
	mov.u32 	%r47, %tid.x;
	mad.lo.s32 	%r5, %r46, %r1, %r47;
	mov.u32 	%r6, %nctaid.y;
	cvta.to.global.u64 	%rd3, %rd58;
	cvta.to.global.u64 	%rd4, %rd56;
$L__BB0_2:
	mul.wide.s32 	%rd60, %r84, 88;
	add.s64 	%rd5, %rd4, %rd60;
	ld.global.u64 	%rd6, [%rd5];
	ld.global.u64 	%rd7, [%rd5+8];
	ld.global.u64 	%rd8, [%rd5+16];
	ld.global.u64 	%rd9, [%rd5+24];
	ld.global.u64 	%rd10, [%rd5+32];
	ld.global.u64 	%rd11, [%rd5+40];
	ld.global.v2.u32 	{%r48, %r49}, [%rd5+48];
	ld.global.v2.u32 	{%r50, %r51}, [%rd5+56];
	ld.global.v2.u32 	{%r52, %r53}, [%rd5+64];
	ld.global.v2.u32 	{%r54, %r55}, [%rd5+72];
	mul.lo.s32 	%r56, %r49, %r48;
	mul.lo.s32 	%r57, %r56, %r50;
	mul.lo.s32 	%r16, %r57, %r51;
	mul.wide.s32 	%rd61, %r52, 8;
	add.s64 	%rd62, %rd3, %rd61;
	ld.global.u64 	%rd63, [%rd62];
	cvta.to.global.u64 	%rd12, %rd63;
	setp.ge.u32 	%p2, %r5, %r16;
	@%p2 bra 	$L__BB0_47;
	setp.ne.s32 	%p3, %r43, 0;
	cvt.s64.s32 	%rd13, %r53;
	ld.global.u32 	%r58, [%rd5+80];
	selp.b32 	%r17, 0, %r58, %p3;
	setp.eq.s32 	%p4, %r53, 8;
	@%p4 bra 	$L__BB0_33;
	bra.uni 	$L__BB0_4;
$L__BB0_33:
	mov.u32 	%r87, %r5;
$L__BB0_34:
	rem.u32 	%r35, %r87, %r48;
	setp.eq.s32 	%p20, %r54, 0;
	@%p20 bra 	$L__BB0_36;
	cvt.u64.u32 	%rd102, %r35;
	mul.lo.s64 	%rd136, %rd8, %rd102;
	bra.uni 	$L__BB0_37;
$L__BB0_36:
	add.s32 	%r79, %r55, %r35;
	mul.wide.s32 	%rd103, %r79, 8;
	add.s64 	%rd104, %rd1, %rd103;
	ld.global.u64 	%rd136, [%rd104];
$L__BB0_37:
	div.u32 	%r36, %r87, %r48;
	rem.u32 	%r37, %r36, %r49;
	setp.eq.s32 	%p21, %r54, 1;
	@%p21 bra 	$L__BB0_39;
	bra.uni 	$L__BB0_38;
$L__BB0_39:
	add.s32 	%r80, %r55, %r37;
	mul.wide.s32 	%rd106, %r80, 8;
	add.s64 	%rd107, %rd1, %rd106;
	ld.global.u64 	%rd137, [%rd107];
	bra.uni 	$L__BB0_40;
$L__BB0_38:
	cvt.u64.u32 	%rd105, %r37;
	mul.lo.s64 	%rd137, %rd9, %rd105;
$L__BB0_40:
	div.u32 	%r38, %r36, %r49;
	add.s64 	%rd108, %rd136, %rd6;
	add.s64 	%rd48, %rd137, %rd108;
	rem.u32 	%r39, %r38, %r50;
	setp.eq.s32 	%p22, %r54, 2;
	@%p22 bra 	$L__BB0_42;
	bra.uni 	$L__BB0_41;
$L__BB0_42:
	add.s32 	%r81, %r55, %r39;
	mul.wide.s32 	%rd110, %r81, 8;
	add.s64 	%rd111, %rd1, %rd110;
	ld.global.u64 	%rd138, [%rd111];
	bra.uni 	$L__BB0_43;
$L__BB0_41:
	cvt.u64.u32 	%rd109, %r39;
	mul.lo.s64 	%rd138, %rd10, %rd109;
$L__BB0_43:
	add.s64 	%rd52, %rd138, %rd48;
	div.u32 	%r82, %r38, %r50;
	rem.u32 	%r40, %r82, %r51;
	setp.eq.s32 	%p23, %r54, 3;
	@%p23 bra 	$L__BB0_45;
	bra.uni 	$L__BB0_44;
$L__BB0_45:
	add.s32 	%r83, %r55, %r40;
	mul.wide.s32 	%rd113, %r83, 8;
	add.s64 	%rd114, %rd1, %rd113;
	ld.global.u64 	%rd139, [%rd114];
	bra.uni 	$L__BB0_46;
$L__BB0_44:
	cvt.u64.u32 	%rd112, %r40;
	mul.lo.s64 	%rd139, %rd11, %rd112;
$L__BB0_46:
	add.s64 	%rd115, %rd139, %rd52;
	add.s64 	%rd116, %rd12, %rd115;
	cvt.u64.u32 	%rd117, %r87;
	mul.lo.s64 	%rd118, %rd13, %rd117;
	add.s64 	%rd119, %rd118, %rd7;
	add.s64 	%rd120, %rd2, %rd119;
	selp.b64 	%rd121, %rd116, %rd120, %p3;
	selp.b64 	%rd122, %rd120, %rd116, %p3;
	ld.global.u64 	%rd123, [%rd121];
	xor.b64  	%rd124, %rd123, -9223372036854775808;
	setp.eq.s32 	%p25, %r17, 1;
	selp.b64 	%rd125, %rd124, %rd123, %p25;
	neg.s64 	%rd126, %rd125;
	setp.eq.s32 	%p26, %r17, 2;
	selp.b64 	%rd127, %rd126, %rd125, %p26;
	st.global.u64 	[%rd122], %rd127;
	add.s32 	%r87, %r87, %r2;
	setp.lt.u32 	%p27, %r87, %r16;
	@%p27 bra 	$L__BB0_34;
	bra.uni 	$L__BB0_47;
$L__BB0_4:
	@%p3 bra 	$L__BB0_19;
	bra.uni 	$L__BB0_5;
$L__BB0_19:
	mov.u32 	%r86, %r5;
$L__BB0_20:
	rem.u32 	%r27, %r86, %r48;
	setp.eq.s32 	%p13, %r54, 0;
	@%p13 bra 	$L__BB0_22;
	cvt.u64.u32 	%rd83, %r27;
	mul.lo.s64 	%rd132, %rd8, %rd83;
	bra.uni 	$L__BB0_23;
$L__BB0_22:
	add.s32 	%r69, %r55, %r27;
	mul.wide.s32 	%rd84, %r69, 8;
	add.s64 	%rd85, %rd1, %rd84;
	ld.global.u64 	%rd132, [%rd85];
$L__BB0_23:
	div.u32 	%r28, %r86, %r48;
	rem.u32 	%r29, %r28, %r49;
	setp.eq.s32 	%p14, %r54, 1;
	@%p14 bra 	$L__BB0_25;
	bra.uni 	$L__BB0_24;
$L__BB0_25:
	add.s32 	%r70, %r55, %r29;
	mul.wide.s32 	%rd87, %r70, 8;
	add.s64 	%rd88, %rd1, %rd87;
	ld.global.u64 	%rd133, [%rd88];
	bra.uni 	$L__BB0_26;
$L__BB0_24:
	cvt.u64.u32 	%rd86, %r29;
	mul.lo.s64 	%rd133, %rd9, %rd86;
$L__BB0_26:
	div.u32 	%r30, %r28, %r49;
	add.s64 	%rd89, %rd132, %rd6;
	add.s64 	%rd34, %rd133, %rd89;
	rem.u32 	%r31, %r30, %r50;
	setp.eq.s32 	%p15, %r54, 2;
	@%p15 bra 	$L__BB0_28;
	bra.uni 	$L__BB0_27;
$L__BB0_28:
	add.s32 	%r71, %r55, %r31;
	mul.wide.s32 	%rd91, %r71, 8;
	add.s64 	%rd92, %rd1, %rd91;
	ld.global.u64 	%rd134, [%rd92];
	bra.uni 	$L__BB0_29;
$L__BB0_27:
	cvt.u64.u32 	%rd90, %r31;
	mul.lo.s64 	%rd134, %rd10, %rd90;
$L__BB0_29:
	add.s64 	%rd38, %rd134, %rd34;
	div.u32 	%r72, %r30, %r50;
	rem.u32 	%r32, %r72, %r51;
	setp.eq.s32 	%p16, %r54, 3;
	@%p16 bra 	$L__BB0_31;
	bra.uni 	$L__BB0_30;
$L__BB0_31:
	add.s32 	%r73, %r55, %r32;
	mul.wide.s32 	%rd94, %r73, 8;
	add.s64 	%rd95, %rd1, %rd94;
	ld.global.u64 	%rd135, [%rd95];
	bra.uni 	$L__BB0_32;
$L__BB0_30:
	cvt.u64.u32 	%rd93, %r32;
	mul.lo.s64 	%rd135, %rd11, %rd93;
$L__BB0_32:
	add.s64 	%rd96, %rd135, %rd38;
	add.s64 	%rd97, %rd12, %rd96;
	cvt.u64.u32 	%rd98, %r86;
	mul.lo.s64 	%rd99, %rd13, %rd98;
	add.s64 	%rd100, %rd99, %rd7;
	add.s64 	%rd101, %rd2, %rd100;
	ld.global.u32 	%r74, [%rd97];
	xor.b32  	%r75, %r74, -2147483648;
	setp.eq.s32 	%p17, %r17, 1;
	selp.b32 	%r76, %r75, %r74, %p17;
	neg.s32 	%r77, %r76;
	setp.eq.s32 	%p18, %r17, 2;
	selp.b32 	%r78, %r77, %r76, %p18;
	st.global.u32 	[%rd101], %r78;
	add.s32 	%r86, %r86, %r2;
	setp.lt.u32 	%p19, %r86, %r16;
	@%p19 bra 	$L__BB0_20;
	bra.uni 	$L__BB0_47;
$L__BB0_5:
	mov.u32 	%r85, %r5;
$L__BB0_6:
	rem.u32 	%r19, %r85, %r48;
	setp.eq.s32 	%p6, %r54, 0;
	@%p6 bra 	$L__BB0_8;
	cvt.u64.u32 	%rd64, %r19;
	mul.lo.s64 	%rd128, %rd8, %rd64;
	bra.uni 	$L__BB0_9;
$L__BB0_8:
	add.s32 	%r59, %r55, %r19;
	mul.wide.s32 	%rd65, %r59, 8;
	add.s64 	%rd66, %rd1, %rd65;
	ld.global.u64 	%rd128, [%rd66];
$L__BB0_9:
	div.u32 	%r20, %r85, %r48;
	rem.u32 	%r21, %r20, %r49;
	setp.eq.s32 	%p7, %r54, 1;
	@%p7 bra 	$L__BB0_11;
	bra.uni 	$L__BB0_10;
$L__BB0_11:
	add.s32 	%r60, %r55, %r21;
	mul.wide.s32 	%rd68, %r60, 8;
	add.s64 	%rd69, %rd1, %rd68;
	ld.global.u64 	%rd129, [%rd69];
	bra.uni 	$L__BB0_12;
$L__BB0_10:
	cvt.u64.u32 	%rd67, %r21;
	mul.lo.s64 	%rd129, %rd9, %rd67;
$L__BB0_12:
	div.u32 	%r22, %r20, %r49;
	add.s64 	%rd70, %rd128, %rd6;
	add.s64 	%rd20, %rd129, %rd70;
	rem.u32 	%r23, %r22, %r50;
	setp.eq.s32 	%p8, %r54, 2;
	@%p8 bra 	$L__BB0_14;
	bra.uni 	$L__BB0_13;
$L__BB0_14:
	add.s32 	%r61, %r55, %r23;
	mul.wide.s32 	%rd72, %r61, 8;
	add.s64 	%rd73, %rd1, %rd72;
	ld.global.u64 	%rd130, [%rd73];
	bra.uni 	$L__BB0_15;
$L__BB0_13:
	cvt.u64.u32 	%rd71, %r23;
	mul.lo.s64 	%rd130, %rd10, %rd71;
$L__BB0_15:
	add.s64 	%rd24, %rd130, %rd20;
	div.u32 	%r62, %r22, %r50;
	rem.u32 	%r24, %r62, %r51;
	setp.eq.s32 	%p9, %r54, 3;
	@%p9 bra 	$L__BB0_17;
	bra.uni 	$L__BB0_16;
$L__BB0_17:
	add.s32 	%r63, %r55, %r24;
	mul.wide.s32 	%rd75, %r63, 8;
	add.s64 	%rd76, %rd1, %rd75;
	ld.global.u64 	%rd131, [%rd76];
	bra.uni 	$L__BB0_18;
$L__BB0_16:
	cvt.u64.u32 	%rd74, %r24;
	mul.lo.s64 	%rd131, %rd11, %rd74;
$L__BB0_18:
	add.s64 	%rd77, %rd131, %rd24;
	add.s64 	%rd78, %rd12, %rd77;
	cvt.u64.u32 	%rd79, %r85;
	mul.lo.s64 	%rd80, %rd13, %rd79;
	add.s64 	%rd81, %rd80, %rd7;
	add.s64 	%rd82, %rd2, %rd81;
	ld.global.u32 	%r64, [%rd82];
	xor.b32  	%r65, %r64, -2147483648;
	setp.eq.s32 	%p10, %r17, 1;
	selp.b32 	%r66, %r65, %r64, %p10;
	neg.s32 	%r67, %r66;
	setp.eq.s32 	%p11, %r17, 2;
	selp.b32 	%r68, %r67, %r66, %p11;
	st.global.u32 	[%rd78], %r68;
	add.s32 	%r85, %r85, %r2;
	setp.lt.u32 	%p12, %r85, %r16;
	@%p12 bra 	$L__BB0_6;
$L__BB0_47:
	add.s32 	%r84, %r84, %r6;
	setp.lt.s32 	%p28, %r84, %r44;
	@%p28 bra 	$L__BB0_2;
$L__BB0_48:
	ret;
}
)ptx";

}  // namespace lapwing
