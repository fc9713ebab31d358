# frozen_string_literal: true

require "json"
require "time"

module Holdup
  module Notify
    # A message as the receiver of a webhook takes it. Names of requests are untrusted: none can mention
    # somebody or be a link.
    module WebhookBody
      # Discord takes 2,000 characters.
      MOST_DISCORD = 1900
      # PagerDuty takes 1,024.
      MOST_SUMMARY = 1000

      module_function

      # @param kind [Symbol] of ConfigurationKeys::NotifyPlan::WEBHOOKS
      # @param message [NoticeMessage]
      # @param key [String, nil] PagerDuty's routing key
      # @return [String] JSON
      def call(kind, message, key: nil)
        JSON.generate(
          case kind
          when :slack then slack(message)
          when :teams then teams(message)
          when :discord then discord(message)
          when :pagerduty then pagerduty(message, key)
          else plain(message)
          end
        )
      end

      def plain(message)
        {schema: 1, source: message.source, rule: message.rule, state: message.state,
         at: Time.at(message.at_s).utc.iso8601, title: message.title, text: message.text,
         figure: message.figure, command: message.command, link: message.link,
         **message.to_h.slice(:html).compact}
      end

      def slack(message)
        escaped = [message.title, message.text, message.command].map do |text|
          text.to_s.gsub("&", "&amp;").gsub("<", "&lt;").gsub(">", "&gt;")
        end
        title, text, command = escaped
        {text: ["*#{title}*", text, "`#{command}`", message.link && "<#{message.link}>"].compact.join("\n")}
      end

      # The card that a workflow of Teams takes.
      def teams(message)
        body = [{type: "TextBlock", text: message.title, weight: "Bolder", wrap: true},
          {type: "TextBlock", text: plain_markdown(message.text), wrap: true},
          {type: "TextBlock", text: message.command, fontType: "Monospace", wrap: true}]
        card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard",
                version: "1.4", body:}
        card[:actions] = [{type: "Action.OpenUrl", title: "Holdup", url: message.link}] if message.link
        {type: "message",
         attachments: [{contentType: "application/vnd.microsoft.card.adaptive", content: card}]}
      end

      def discord(message)
        lines = ["**#{message.title}**", plain_markdown(message.text), "`#{message.command}`", message.link]
        {content: lines.compact.join("\n")[0, MOST_DISCORD], allowed_mentions: {parse: []}}
      end

      def pagerduty(message, key)
        over = message.state == :over
        facts = {routing_key: key, event_action: over ? "resolve" : "trigger",
                 dedup_key: "holdup #{message.rule}"}
        facts[:links] = [{href: message.link, text: "Holdup"}] if message.link
        details = {figure: message.figure, command: message.command}.compact
        {**facts, payload: {summary: "#{message.title}: #{message.text}"[0, MOST_SUMMARY], source: "holdup",
                            severity: "warning", timestamp: Time.at(message.at_s).utc.iso8601,
                            custom_details: details}}
      end

      def plain_markdown(text) = text.gsub(/[\\`*_~\[\]|<>]/) { |sign| "\\#{sign}" }

      private_class_method :plain, :slack, :teams, :discord, :pagerduty, :plain_markdown
    end
  end
end
