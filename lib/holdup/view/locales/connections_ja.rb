# frozen_string_literal: true

module Holdup
  module View
    module Locales
      CONNECTIONS_JA = {
        verdict_connections: "%<units>sは経過時間の %<share>s をデータベース接続の空き待ちに費やしました。",
        verdict_connections_kept: "%<units>sは経過時間の %<share>s をデータベース接続の空き待ちに費やしました。コネクションプールの接続数は %<size>s で、使用時間の %<held_share>s は %<cause>s が占有していました。",
        verdict_connections_outside: "%<units>sは経過時間の %<share>s をデータベース接続の空き待ちに費やしました。コネクションプールの接続数は %<size>s で、使用時間の %<held_share>s はリクエストやジョブ以外のスレッドが占有していました。",
        remark_connections: "さらに、経過時間の %<share>s をデータベース接続の空き待ちに費やしています。",

        connections: "データベース接続",
        wait_each: "待ち/件", wait_share: "時間の%", kept_each: "占有/件", kept_share: "占有の%",
        connections_pool: "プール %<name>s：プロセスごとに %<max>s 接続[[。平均で %<busy>s 接続が使用中]][[、空き待ちのリクエストやジョブは %<backlog>s 件]][[（1 分に 1 回見た最大は %<most>s スレッド）]]。",
        connections_outside: "(処理外のスレッド)",
        connections_unknown: "リクエストやジョブ以外のスレッドが占有した時間は、まだ分かりません（プロセスの記録は 1 分ごとです）。",
        connections_size: "コネクションプールはプロセスごとに %<size>s 接続です。",
        connections_note: "待ち：すべての接続が使用中で、空きを待った時間（sleep の一部）。占有：取得から返却または処理の終了まで（プールごとに、最初の空き待ちが起きてから数えます）。同時に複数の接続を持てば、それぞれ数えます。"
      }.freeze
    end
  end
end
