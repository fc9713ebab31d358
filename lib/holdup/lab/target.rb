# frozen_string_literal: true

require "socket"
require "uri"

module Holdup
  module Lab
    # The address of a load, always on this machine: an open loop does not slow down with the server, so it
    # would be an attack on any other host.
    class Target
      # @return [Addrinfo] the checked address, so that no second look-up can return another
      attr_reader :address

      # @return [String] value of the Host header
      attr_reader :authority

      # @param url [String] "http://127.0.0.1:9300"
      # @raise [UsageError] when it isn't an http address of this machine
      def initialize(url)
        uri = parse(url)
        @authority = "#{uri.host}:#{uri.port}"
        @address = addresses(uri).first
      end

      private

      def parse(url)
        uri = URI.parse(url)
        return uri if uri.is_a?(URI::HTTP) && !uri.is_a?(URI::HTTPS) && !uri.host.to_s.empty?
        raise UsageError.new("#{url} is not an http address", "give one such as http://127.0.0.1:9300")
      rescue URI::InvalidURIError
        raise UsageError.new("#{url.inspect} is not an address", "give one such as http://127.0.0.1:9300")
      end

      def addresses(uri)
        found = Addrinfo.getaddrinfo(uri.hostname, uri.port, nil, :STREAM)
        return found if found.all? { |address| loopback?(address) }
        raise UsageError.new("#{uri.host} is not this machine",
          "a load only goes to a loopback address such as 127.0.0.1")
      rescue SocketError => error
        raise UsageError.new("#{uri.host} has no address (#{error.message})", "give one such as 127.0.0.1")
      end

      def loopback?(address)
        address.ipv4_loopback? || address.ipv6_loopback?
      end
    end
  end
end
