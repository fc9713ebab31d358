# frozen_string_literal: true

module Holdup
  module Notify
    # Says a notice.
    class NoticeSentences
      # Seconds before the notice that its span begins.
      SPAN_S = {stall: 600, verdict: HOUR_S, deaths: HOUR_S, slo: HOUR_S, autopilot: HOUR_S}.freeze
      PAGES = {deaths: "deaths", collector: "health", store: "health"}.freeze
      private_constant :SPAN_S, :PAGES

      # @param web_url [String, nil] address of the dashboard
      def initialize(words:, web_url: nil)
        @words = words
        @web_url = web_url
      end

      # @param notice [Notice]
      # @param report [String, nil] what the report says of it
      # @return [NoticeMessage]
      def call(notice, report: nil)
        rule = notice.rule.to_sym
        over = notice.state == :over
        text = over ? word(:"over_#{rule}", **said(notice)) : @words.sentences([sentence(notice), *report])
        NoticeMessage.new(rule: notice.rule, state: notice.state, at_s: notice.at_s, source: notice.source,
          title: title(rule, over), text:, figure: figure(notice), link: link(rule, notice.at_s),
          command: command(rule, notice))
      end

      # @return [String] what the notice says without the report
      def sentence(notice)
        rule = notice.rule.to_sym
        return word(:"over_#{rule}", **said(notice)) if notice.state == :over
        return word(:verdict_without_cause) if rule == :verdict && notice.facts[:cause].nil?
        word(:"found_#{rule}", **said(notice))
      end

      # @return [NoticeMessage] that only shows that a channel works
      def test(now_s)
        NoticeMessage.new(rule: "test", state: :began, at_s: now_s, source: "test #{now_s}",
          title: word(:title_test), text: word(:found_test), figure: nil, link: @web_url,
          command: "holdup notify")
      end

      private

      def word(key, **facts) = @words.call(:"notify_#{key}", **facts)

      def title(rule, over)
        title = word(:"title_#{rule}")
        over ? word(:title_over, title:) : title
      end

      def said(notice)
        notice.facts.except(:ids, :text, :key).to_h { |key, fact| [key, say(key, fact)] }
      end

      def say(key, fact)
        case key
        when :why then View::AuditLog.reason(fact.to_s, @words)
        when :hosts then @words.list(fact.map { |host| View::Width.clean(host) })
        when :count then fact
        else fact.is_a?(Float) ? View::Figures.share(fact) : View::Width.clean(fact.to_s)
        end
      end

      def figure(notice)
        facts = notice.facts
        return View::Figures.share(facts[:share]) if facts[:share]
        facts[:count]&.to_s
      end

      def link(rule, at_s)
        return unless @web_url
        page = PAGES.fetch(rule, "")
        span = "since=#{moment(at_s - SPAN_S.fetch(rule, HOUR_S))}&until=#{moment(at_s)}"
        "#{[@web_url.chomp("/"), page].join("/")}?#{span}"
      end

      def moment(second) = Time.at(second).utc.strftime("%FT%TZ")

      def command(rule, notice)
        case rule
        when :stall, :verdict, :slo
          "holdup report --since #{moment(notice.at_s - SPAN_S.fetch(rule))} --until #{moment(notice.at_s)}"
        when :deaths then ["holdup deaths", *notice.facts[:ids]&.last].join(" ")
        when :autopilot then "holdup autopilot"
        else "holdup doctor"
        end
      end
    end
  end
end
