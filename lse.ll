declare float @llvm.maximum.f32(float, float)
declare float @llvm.fabs.f32(float)
declare <16 x float> @pullback_exp_float_16(<16 x float>) memory(none) nounwind #0
declare <8 x float> @pullback_exp_float_8(<8 x float>) memory(none) nounwind #0
declare float @pullback_exp_float(float) memory(none) nounwind willreturn #0 "vector-function-abi-variant"="_ZGV_LLVM_N16v_pullback_exp_float(pullback_exp_float_16),_ZGV_LLVM_N8v_pullback_exp_float(pullback_exp_float_8)"
declare <16 x float> @pullback_log_float_16(<16 x float>) memory(none) nounwind #0
declare <8 x float> @pullback_log_float_8(<8 x float>) memory(none) nounwind #0
declare float @pullback_log_float(float) memory(none) nounwind willreturn #0 "vector-function-abi-variant"="_ZGV_LLVM_N16v_pullback_log_float(pullback_log_float_16),_ZGV_LLVM_N8v_pullback_log_float(pullback_log_float_8)"
@llvm.compiler.used = appending global [4 x ptr] [ptr @pullback_exp_float_16, ptr @pullback_exp_float_8, ptr @pullback_log_float_16, ptr @pullback_log_float_8], section "llvm.metadata"
define internal void @kernel0(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4, i64 %lo, i64 %hi) nounwind #0 {
entry:
  %v1 = alloca i64
  %v4 = alloca i64
  %v9 = alloca i64
  %v12 = alloca i64
  %v29 = alloca i64
  %v34 = alloca i64
  %v37 = alloca i64
  %v61 = alloca i64
  store i64 %lo, ptr %v1
  br label %l1_head
l1_head:
  %v2 = load i64, ptr %v1
  %v3 = icmp slt i64 %v2, %hi
  br i1 %v3, label %l1_body, label %l1_exit
l1_body:
  store i64 0, ptr %v4
  br label %l4_head
l4_head:
  %v5 = load i64, ptr %v4
  %v6 = icmp slt i64 %v5, 16
  br i1 %v6, label %l4_body, label %l4_exit
l4_body:
  %v7 = getelementptr float, ptr %p0, i64 %v5
  store float 0xFFF0000000000000, ptr %v7, !llvm.access.group !0
  %v8 = add nuw nsw i64 %v5, 1
  store i64 %v8, ptr %v4
  br label %l4_head, !llvm.loop !5
l4_exit:
  store i64 0, ptr %v9
  br label %l9_head
l9_head:
  %v10 = load i64, ptr %v9
  %v11 = icmp slt i64 %v10, 16
  br i1 %v11, label %l9_body, label %l9_exit
l9_body:
  store i64 0, ptr %v12
  br label %l12_head
l12_head:
  %v13 = load i64, ptr %v12
  %v14 = icmp slt i64 %v13, 16
  br i1 %v14, label %l12_body, label %l12_exit
l12_body:
  %v15 = mul nsw i64 %v2, 16
  %v16 = add nsw i64 %v10, %v15
  %v17 = getelementptr float, ptr %p1, i64 %v16
  %v18 = load float, ptr %v17, !llvm.access.group !0
  %v19 = mul nsw i64 %v10, 16
  %v20 = add nsw i64 %v19, %v13
  %v21 = getelementptr float, ptr %p2, i64 %v20
  %v22 = load float, ptr %v21, !llvm.access.group !0
  %v23 = fadd float %v18, %v22
  %v24 = getelementptr float, ptr %p0, i64 %v13
  %v25 = load float, ptr %v24, !llvm.access.group !0
  %v26 = call float @llvm.maximum.f32(float %v25, float %v23)
  store float %v26, ptr %v24, !llvm.access.group !0
  %v27 = add nuw nsw i64 %v13, 1
  store i64 %v27, ptr %v12
  br label %l12_head, !llvm.loop !5
l12_exit:
  %v28 = add nuw nsw i64 %v10, 1
  store i64 %v28, ptr %v9
  br label %l9_head, !llvm.loop !3
l9_exit:
  store i64 0, ptr %v29
  br label %l29_head
l29_head:
  %v30 = load i64, ptr %v29
  %v31 = icmp slt i64 %v30, 16
  br i1 %v31, label %l29_body, label %l29_exit
l29_body:
  %v32 = getelementptr float, ptr %p3, i64 %v30
  store float 0x0000000000000000, ptr %v32, !llvm.access.group !0
  %v33 = add nuw nsw i64 %v30, 1
  store i64 %v33, ptr %v29
  br label %l29_head, !llvm.loop !5
l29_exit:
  store i64 0, ptr %v34
  br label %l34_head
l34_head:
  %v35 = load i64, ptr %v34
  %v36 = icmp slt i64 %v35, 16
  br i1 %v36, label %l34_body, label %l34_exit
l34_body:
  store i64 0, ptr %v37
  br label %l37_head
l37_head:
  %v38 = load i64, ptr %v37
  %v39 = icmp slt i64 %v38, 16
  br i1 %v39, label %l37_body, label %l37_exit
l37_body:
  %v40 = mul nsw i64 %v2, 16
  %v41 = add nsw i64 %v35, %v40
  %v42 = getelementptr float, ptr %p1, i64 %v41
  %v43 = load float, ptr %v42, !llvm.access.group !0
  %v44 = mul nsw i64 %v35, 16
  %v45 = add nsw i64 %v44, %v38
  %v46 = getelementptr float, ptr %p2, i64 %v45
  %v47 = load float, ptr %v46, !llvm.access.group !0
  %v48 = fadd float %v43, %v47
  %v49 = getelementptr float, ptr %p0, i64 %v38
  %v50 = load float, ptr %v49, !llvm.access.group !0
  %v51 = call float @llvm.fabs.f32(float %v50)
  %v52 = fcmp oeq float %v51, 0x7FF0000000000000
  %v53 = select i1 %v52, float 0x0000000000000000, float %v50
  %v54 = fsub float %v48, %v53
  %v55 = call float @pullback_exp_float(float %v54)
  %v56 = getelementptr float, ptr %p3, i64 %v38
  %v57 = load float, ptr %v56, !llvm.access.group !0
  %v58 = fadd reassoc float %v57, %v55
  store float %v58, ptr %v56, !llvm.access.group !0
  %v59 = add nuw nsw i64 %v38, 1
  store i64 %v59, ptr %v37
  br label %l37_head, !llvm.loop !5
l37_exit:
  %v60 = add nuw nsw i64 %v35, 1
  store i64 %v60, ptr %v34
  br label %l34_head, !llvm.loop !3
l34_exit:
  store i64 0, ptr %v61
  br label %l61_head
l61_head:
  %v62 = load i64, ptr %v61
  %v63 = icmp slt i64 %v62, 16
  br i1 %v63, label %l61_body, label %l61_exit
l61_body:
  %v64 = getelementptr float, ptr %p3, i64 %v62
  %v65 = load float, ptr %v64, !llvm.access.group !0
  %v66 = call float @pullback_log_float(float %v65)
  %v67 = getelementptr float, ptr %p0, i64 %v62
  %v68 = load float, ptr %v67, !llvm.access.group !0
  %v69 = call float @llvm.fabs.f32(float %v68)
  %v70 = fcmp oeq float %v69, 0x7FF0000000000000
  %v71 = select i1 %v70, float 0x0000000000000000, float %v68
  %v72 = fadd float %v66, %v71
  %v73 = mul nsw i64 %v2, 16
  %v74 = add nsw i64 %v62, %v73
  %v75 = getelementptr float, ptr %p4, i64 %v74
  store float %v72, ptr %v75, !llvm.access.group !0
  %v76 = add nuw nsw i64 %v62, 1
  store i64 %v76, ptr %v61
  br label %l61_head, !llvm.loop !5
l61_exit:
  %v77 = add nuw nsw i64 %v2, 1
  store i64 %v77, ptr %v1
  br label %l1_head, !llvm.loop !3
l1_exit:
  ret void
}
define void @segment0(ptr %table) #0 {
  %arena = load ptr, ptr %table
  %b2 = getelementptr i8, ptr %arena, i64 0
  %b0_ = getelementptr i64, ptr %table, i64 1
  %b0 = load ptr, ptr %b0_
  %b1_ = getelementptr i64, ptr %table, i64 2
  %b1 = load ptr, ptr %b1_
  %b3 = getelementptr i8, ptr %arena, i64 64
  %b5_ = getelementptr i64, ptr %table, i64 3
  %b5 = load ptr, ptr %b5_
  call void @kernel0(ptr %b2, ptr %b0, ptr %b1, ptr %b3, ptr %b5, i64 0, i64 32)
  ret void
}
attributes #0 = { "target-cpu"="emeraldrapids" "target-features"="+64bit,+adx,+aes,-amx-avx512,-amx-bf16,-amx-complex,-amx-fp16,-amx-fp8,-amx-int8,-amx-movrs,-amx-tf32,-amx-tile,+avx,-avx10.1,-avx10.2,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512fp16,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,-avx512vp2intersect,+avx512vpopcntdq,-avxifma,-avxneconvert,+avxvnni,-avxvnniint16,-avxvnniint8,+bmi,+bmi2,-ccmp,-cf,+cldemote,+clflushopt,+clwb,-clzero,+cmov,-cmpccxadd,+crc32,+cx16,+cx8,-egpr,-enqcmd,+f16c,+fma,-fma4,+fsgsbase,+fxsr,+gfni,-hreset,+invpcid,-kl,-lwp,+lzcnt,+mmx,+movbe,+movdir64b,+movdiri,-movrs,-mwaitx,-ndd,-nf,+pclmul,-pconfig,-pku,+popcnt,-ppx,-prefetchi,+prfchw,-ptwrite,-push2pop2,-raoint,+rdpid,-rdpru,+rdrnd,+rdseed,+rtm,+sahf,+serialize,-sgx,+sha,-sha512,-shstk,-sm3,-sm4,+sse,+sse2,+sse3,+sse4.1,+sse4.2,-sse4a,+ssse3,-tbm,+tsxldtrk,-uintr,-usermsr,+vaes,+vpclmulqdq,-waitpkg,-wbnoinvd,-widekl,-xop,+xsave,+xsavec,+xsaveopt,+xsaves,-zu" "prefer-vector-width"="512" "no-trapping-math"="true" }
!0 = distinct !{}
!1 = distinct !{!1, !2}
!2 = !{!"llvm.loop.parallel_accesses", !0}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !2, !4}