# frozen_string_literal: true

require "digest"

module Holdup
  class Web
    # Who may see the dashboard: names of endpoints and hosts are confidential.
    class Access
      # `key` names the sentence; `headers` go with the answer.
      Refusal = Data.define(:status, :key, :headers) do
        def initialize(status:, key:, headers: {}) = super
      end

      READING = %w[GET HEAD].freeze
      OWN_SITE = %w[same-origin none].freeze
      CHALLENGE = {"www-authenticate" => 'Basic realm="Holdup", charset="UTF-8"'}.freeze

      # @param auth [Hash{Symbol => String}, #call, :none, nil] nil refuses everyone
      # @param hosts [Array<String>, nil] accepted host names: another name that resolves to loopback belongs
      #   to a foreign page (DNS rebinding)
      # @param posts [Array<String>] paths that accept POST
      def initialize(auth:, hosts: nil, posts: [])
        @auth = auth
        @hosts = hosts
        @posts = posts
      end

      # @param env [Hash] the Rack environment
      # @return [Refusal, nil] nil: access is granted
      def call(env)
        return Refusal.new(status: 403, key: :refused_host) unless host?(env["HTTP_HOST"])
        person(env) || method(env)
      end

      private

      def host?(host)
        @hosts.nil? || @hosts.include?(host.to_s.b.sub(/:\d+\z/, "").downcase)
      end

      def person(env)
        case @auth
        when :none then nil
        when nil then Refusal.new(status: 403, key: :refused_closed)
        when Hash then credentials?(env["HTTP_AUTHORIZATION"]) ? nil : Refusal.new(status: 401,
          key: :refused_credentials, headers: CHALLENGE)
        else @auth.call(env) ? nil : Refusal.new(status: 403, key: :refused_person)
        end
      end

      # Few requests change anything; those from another site are refused.
      def method(env)
        return if READING.include?(env["REQUEST_METHOD"])
        return Refusal.new(status: 403, key: :refused_site) unless own_site?(env)
        return if env["REQUEST_METHOD"] == "POST" && @posts.include?(env["PATH_INFO"])
        Refusal.new(status: 405, key: :refused_method, headers: {"allow" => READING.join(", ")})
      end

      # Without TLS browsers only send the form's origin; programs send neither header.
      def own_site?(env)
        site, origin = env.values_at("HTTP_SEC_FETCH_SITE", "HTTP_ORIGIN")
        return OWN_SITE.include?(site) if site
        origin.nil? || origin.b.sub(%r{\Ahttps?://}, "") == env["HTTP_HOST"].to_s.b
      end

      # Always compares both, as digests of one length: the duration reveals nothing.
      def credentials?(authorization)
        scheme, encoded = authorization.to_s.b.split(" ", 2)
        return false unless scheme&.casecmp?("basic") && encoded
        username, password = encoded.unpack1("m").split(":", 2)
        [same?(username, @auth[:username]), same?(password, @auth[:password])].all?
      end

      def same?(given, wanted)
        given, wanted = [given.to_s, wanted].map { |text| Digest::SHA256.digest(text) }
        given.bytes.zip(wanted.bytes).sum { |one, other| one ^ other }.zero?
      end
    end
  end
end
