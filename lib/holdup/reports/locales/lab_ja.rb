# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # LAB_EN in Japanese; see there.
      LAB_JA = {
        lab_vcpu_title: "計算するジョブ 2 個、%<vcpus>s",
        lab_vcpu_facts: "Sidekiq %<sidekiq>s、Ruby %<ruby>s。ジョブは決まった量の Ruby の計算で、単独では %<alone>s かかります。",
        lab_vcpu_repeats: "各実験を %<count>s 回実行し、最も速い回を示します（最も遅い回は %<spread>s 余分にかかりました）。",
        lab_vcpu_full: "%<vcpus>s、%<processes>s：1 プロセスですべて使えます。プロセスを増やすには先に vCPU が必要です。",

        lab_and: "、", lab_progress: "実行中 %<number>s/%<repeats>s：%<experiment>s",
        lab_experiment: "実験", lab_each: "各", lab_in_all: "全体", lab_running: "実行", lab_stalled: "GVL 待ち",
        lab_by_other: "相手原因", lab_cpu: "CPU 率", lab_alarm: "警報 %<target>s",
        lab_alone: "単独", lab_threads: "2 スレッド", lab_serial: "順番に", lab_processes: "2 プロセス",
        lab_fires: "作動", lab_silent: "沈黙",
        lab_vcpu_note: "すべて実測値です。各、全体：経過時間。単独のジョブに対する倍率。相手原因：GVL 待ちのうち、もう一方のジョブが引き起こした割合。" \
          "CPU 率：全 vCPU に対する割合。警報：この目標値のオートスケーリングがどう動いたか。",

        lab_bars: "各ジョブがたどった状態",
        lab_bars_legend: "# 実行  ! CPU 待ち  x GVL 待ち  ~ io  = lock  z sleep  + native  . キュー待ち",

        lab_meaning: "意味",
        lab_means_threads: "1 プロセスで同時に 2 個：それぞれ %<each>s かかり、%<running>s 実行し、%<stalled>s GVL を待ちました。その %<share>s は" \
          "もう一方のジョブが原因です。1 つのプロセスで Ruby を実行できるのは一度に 1 スレッドだけなので、2 つ目のスレッドで" \
          "仕事は増えません。両方のジョブが遅れるだけです。",
        lab_means_serial: "順番に 1 個ずつ：全体で %<in_all>s（同時に実行すると %<at_once>s）。1 個目はそのおよそ半分で終わりました。この種のジョブでは" \
          "並行数 1 でも損はありません。",
        lab_means_processes: "2 プロセス：それぞれ %<each>s、全体で %<in_all>s。プロセスごとに GVL があるので、両方のジョブが同時に実行できます。" \
          "全 vCPU に対する CPU 率：%<cpu>s。",
        lab_means_processes_full: "2 プロセス：それぞれ %<each>s、全体で %<in_all>s。GVL はそれぞれにありますが、%<vcpus>sを分け合うため、代わりに " \
          "CPU を待ちました（CPU 待ち）。",
        lab_means_halved: "vCPU を倍にすると CPU 率が半分になる理由：1 プロセスは、vCPU がいくつあっても CPU %<cores>s 個分しか計算しません。" \
          "それは%<half>sの %<before>s でしたが、%<vcpus>sでは %<after>s です。",

        lab_advice: "対策",
        lab_advice_processes: "Sidekiq のプロセスを vCPU と同じ数（ここでは %<needed>s）起動し、計算するジョブにはそれぞれ少ないスレッドを割り当てます。",
        lab_advice_threads: "高い並行数は、ジョブがほとんど何かを待っているキューのためのものです。スレッドが役立つのはそこです。",
        lab_advice_scale: "CPU 率ではなく、キューの待ち時間でスケールします。上限がどこにあっても伸びるからです。",

        lab_off: "%<experiment>s：各 %<each>s、全体 %<in_all>s（理論値は %<expected_each>s と %<expected_in_all>s）。",
        lab_undisturbed: "CPU 待ちを除いて %<undisturbed>s（実測 %<measured>s）",
        lab_starved: "ジョブは最大で時間の %<share>s の間、GVL を持ちながら CPU がありませんでした（CPU 待ち）。他のものが CPU を使っていたか、クォータで止められていました。" \
          "その時間を除くと、各 %<without>s になります。表と棒は実測値です。静かなマシンで、--seconds と --repeat を大きくしてもう一度実行してください。",
        lab_off_slower: "同じ仕事に %<ratio>s の CPU 時間がかかりました。2 つの vCPU が 1 つのコアを共有しているか、CPU のクロックが下がったことが考えられます。",
        lab_off_unknown: "静かなマシンで、--seconds と --repeat を大きくしてもう一度実行してください。",

        lab_jobs_title: "並行数ごとのジョブ（Sidekiq %<sidekiq>s、Ruby %<ruby>s、vCPU %<vcpus>s 個）",
        lab_jobs_threads: "スレッド", lab_jobs_measured: "個/秒", lab_jobs_replay: "予測", lab_jobs_error: "誤差", lab_jobs_closed: "式",
        lab_jobs_running: "実行", lab_jobs_stalled: "GVL 待ち",
        lab_jobs_enough: "%<threads>s スレッドで足ります：毎秒 %<rate>s 個。測定された最大の %<share>s に届く、いちばん少ない数です。",
        lab_jobs_accuracy: "%<baseline>s スレッドの実行だけから、他の並行数を誤差 %<replay>s 以内で予測しました（式 %<closed>s、Amdahl の法則 %<amdahl>s）。",
        lab_jobs_facts: "測定したジョブ：%<count>s 個。並行数ごとの実行：%<rounds>s 回（数値はその中央値）。キューは空になっていません。* は予測の元にした実行です。",
        lab_jobs_note: "予測：そのジョブを別のスレッド数で再生したもの。式：閉じたモデル。誤差：同じ巡での予測の誤差。" \
          "実行、GVL 待ち、p95：ジョブの経過時間のもの。GVL：保持されていた時間の割合。",
        lab_jobs_stopped: "中断：全 %<all>s 回のうち %<left>s 回が残っています。`holdup lab jobs --resume %<path>s` で続けられます。",
        lab_jobs_open_end: "%<threads>s スレッドは試した最大で、GVL は時間の %<share>s で空いています。増やせばさらに処理できるかもしれません。--concurrency で試してください。",
        lab_jobs_noise: "同じ設定の 2 回の実行（* と ~）の差は最大 %<noise>s でした。それより小さい差は偶然です。",
        lab_jobs_errors: "%<count>s 個のジョブが失敗しました。他と同じに数えていますが、短いかもしれません。",
        lab_jobs_cost: "%<threads>s スレッドではジョブの CPU 時間が %<baseline>s スレッドの実行に比べて %<share>s でした。マシンの速さが変わったか、同時に動くジョブの数で" \
          "コストが変わります。誤差の一部はそのためです。静かなマシンで --rounds を大きくしてもう一度実行してください。",
        lab_jobs_locked: "%<threads>s スレッドでは、時間の %<share>s がロック待ちです（ジョブの中か、その間。Sidekiq のログにもロックがあります）。" \
          "そこではそれが限界で、予測には含まれません。"
      }.freeze
    end
  end
end
